import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The rate limit of a workspace, which all its processes share: each process had a limit of its own. */
export class WorkspacePace1765382000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE UNLOGGED TABLE workspace_pace (
         workspace text PRIMARY KEY,
         rate double precision,
         next_at timestamptz NOT NULL DEFAULT clock_timestamp(),
         paused_until timestamptz,
         slowed_at timestamptz
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE workspace_pace');
  }
}
