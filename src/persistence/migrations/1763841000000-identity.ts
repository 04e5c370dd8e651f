import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the catalog may hold for a product of ours although the store no longer has it there, until it is released; and which creations
 * may carry identifiers, because the whole catalog was read and nobody else holds them.
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
