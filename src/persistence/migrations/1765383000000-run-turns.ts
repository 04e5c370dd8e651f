import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Workers take the run that is due longest, and a large run lets others have its worker in between. */
export class RunTurns1765383000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE sync_run ADD COLUMN turn_at timestamptz NOT NULL DEFAULT now(),
         ADD COLUMN took_turns boolean NOT NULL DEFAULT false`,
    );
    await runner.query(
      `CREATE INDEX sync_run_by_turn ON sync_run (turn_at) WHERE state IN ('queued', 'running')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_run DROP COLUMN turn_at, DROP COLUMN took_turns');
  }
}
