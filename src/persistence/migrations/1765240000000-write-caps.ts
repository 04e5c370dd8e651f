import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts writes to a store against `limits.maxWritesPerRun` and `limits.maxWritesPerDay` by rows, so that all replicas
 * count the same. `capped_by` names the limit that a ready row waits for.
 */
export class WriteCaps1765240000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE write_back ADD COLUMN begun_at timestamptz, ADD COLUMN capped_by text');
    await runner.query(
      'CREATE INDEX write_back_begun ON write_back (store, begun_at) WHERE begun_at IS NOT NULL',
    );
    await runner.query(
      'CREATE INDEX write_back_capped ON write_back (store, created_at) WHERE capped_by IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE write_back DROP COLUMN begun_at, DROP COLUMN capped_by');
  }
}
