import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The progress of a run's actions, in one row instead of in every action. It shows which actions were in flight when
 * a worker died, and costs one small update for several actions.
 */
export class BegunActions1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_run ADD COLUMN begun_to bigint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_run DROP COLUMN begun_to');
  }
}
