import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The marks of reads in a table of their own. When they stood in the products' own rows, a night in which every product was parsed wrote
 * each row and its five indexes again. A mark holds for one revision of its product. The trigger sets a new revision whenever a column
 * changes that the planner compares with. It does so for every writer, also for an older release that runs beside this one during an
 * upgrade. An older release still uses the column `read_mark`, so a later migration has to remove that.
 */
export class MarksOfTheirOwn1765550000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE read_mark');
    await runner.query('DROP TRIGGER store_product_counts_revision ON store_product');
    await runner.query('DROP FUNCTION count_revision');
    await runner.query('ALTER TABLE store_product DROP COLUMN revision');
  }
}

const STATEMENTS = [
  // The products that are there keep 0, so that their table need not be rewritten. A new row has a number that no other one had.
  'ALTER TABLE store_product ADD COLUMN revision bigint NOT NULL DEFAULT 0',
  'CREATE SEQUENCE store_product_revision_seq OWNED BY store_product.revision',
  `ALTER TABLE store_product ALTER COLUMN revision SET DEFAULT nextval('store_product_revision_seq')`,
  `CREATE FUNCTION count_revision() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     NEW.revision := nextval('store_product_revision_seq');
     RETURN NEW;
   END $$`,
  `CREATE TRIGGER store_product_counts_revision
   BEFORE UPDATE OF state, catalog_id, creation_task_id, source_fingerprint, pushed_fields, written, withheld ON store_product
   FOR EACH ROW
   WHEN ((OLD.state, OLD.catalog_id, OLD.creation_task_id, OLD.source_fingerprint, OLD.pushed_fields, OLD.written, OLD.withheld)
       IS DISTINCT FROM
     (NEW.state, NEW.catalog_id, NEW.creation_task_id, NEW.source_fingerprint, NEW.pushed_fields, NEW.written, NEW.withheld))
   EXECUTE FUNCTION count_revision()`,
  `CREATE TABLE read_mark (
     external_id text PRIMARY KEY, store text NOT NULL, revision bigint NOT NULL, mark text NOT NULL
   )`,
  `INSERT INTO read_mark (external_id, store, revision, mark)
   SELECT external_id, store, revision, read_mark FROM store_product WHERE read_mark IS NOT NULL AND state = 'linked'`,
];
