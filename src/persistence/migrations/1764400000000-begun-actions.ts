import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How far a run has begun its actions, in one row instead of in every action's: which were under way when a worker died follows
 * from it, and counting costs one small update for several of them.
 */
export class BegunActions1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_run ADD COLUMN begun_to bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_run DROP COLUMN begun_to');
  }
}
