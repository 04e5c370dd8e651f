import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run says how many products were gone from the catalog and are created again, or why it did not look for them. */
export class RecreatedProducts1765210000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE sync_action ADD COLUMN IF NOT EXISTS recreated boolean NOT NULL DEFAULT false',
    );
    await runner.query('ALTER TABLE sync_run ADD COLUMN IF NOT EXISTS not_compared text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_action DROP COLUMN recreated');
    await runner.query('ALTER TABLE sync_run DROP COLUMN not_compared');
  }
}
