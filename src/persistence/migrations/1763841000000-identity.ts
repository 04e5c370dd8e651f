import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `wanted` is false for an identifier that a product no longer has in the store while the catalog may still hold it. The row is removed
 * once the catalog has released it. `identifiers_proved` and `unproved` say which creations may carry identifiers: those of a run that
 * read the whole catalog and found no other holder.
 */
export class Identity1763841000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE product_identifier ADD COLUMN wanted boolean NOT NULL DEFAULT true');
    await runner.query('ALTER TABLE sync_run ADD COLUMN identifiers_proved boolean NOT NULL DEFAULT false');
    await runner.query('ALTER TABLE sync_action ADD COLUMN unproved boolean NOT NULL DEFAULT false');
    await runner.query(
      'CREATE INDEX product_identifier_stale ON product_identifier (product) WHERE NOT wanted',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM product_identifier WHERE NOT wanted');
    await runner.query('ALTER TABLE product_identifier DROP COLUMN wanted');
    await runner.query('ALTER TABLE sync_run DROP COLUMN identifiers_proved');
    await runner.query('ALTER TABLE sync_action DROP COLUMN unproved');
  }
}
