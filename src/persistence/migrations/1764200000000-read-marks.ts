import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The digest of a product when it was last unchanged or completely pushed. While a read has the same digest, the
 * product need not be parsed. The trigger takes the mark away whenever anything moves that the planner compares with,
 * whoever moves it: also a release that knows nothing of marks, while both serve.
 */
export class ReadMarks1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER store_product_forgets_mark ON store_product');
    await runner.query('DROP FUNCTION forget_read_mark');
    await runner.query('ALTER TABLE store_product DROP COLUMN read_mark');
    await runner.query('ALTER TABLE sync_action DROP COLUMN read_mark');
  }
}

const STATEMENTS = [
  'ALTER TABLE store_product ADD COLUMN read_mark text',
  'ALTER TABLE sync_action ADD COLUMN read_mark text',
  `CREATE FUNCTION forget_read_mark() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF NEW.read_mark IS NOT DISTINCT FROM OLD.read_mark THEN
       NEW.read_mark := NULL;
     END IF;
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER store_product_forgets_mark
   BEFORE UPDATE OF state, catalog_id, creation_task_id, source_fingerprint, pushed_fields, written, withheld ON store_product
   FOR EACH ROW
   WHEN (OLD.read_mark IS NOT NULL AND
     (OLD.state, OLD.catalog_id, OLD.creation_task_id, OLD.source_fingerprint, OLD.pushed_fields, OLD.written, OLD.withheld)
       IS DISTINCT FROM
     (NEW.state, NEW.catalog_id, NEW.creation_task_id, NEW.source_fingerprint, NEW.pushed_fields, NEW.written, NEW.withheld))
   EXECUTE FUNCTION forget_read_mark()`,
];
