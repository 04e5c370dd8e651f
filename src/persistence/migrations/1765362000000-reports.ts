import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Checks, looks for drift and generations that were asked for on the dashboard: any replica can show their progress and result. */
export class Reports1765362000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE report (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      kind text NOT NULL,
      store text NOT NULL DEFAULT '',
      state text NOT NULL DEFAULT 'running',
      actor text NOT NULL,
      progress integer NOT NULL DEFAULT 0,
      result jsonb,
      error text,
      created_at timestamptz NOT NULL DEFAULT now(),
      seen_at timestamptz NOT NULL DEFAULT now(),
      finished_at timestamptz,
      CONSTRAINT report_kind_check CHECK (kind IN ('check', 'drift', 'generate')),
      CONSTRAINT report_state_check CHECK (state IN ('running', 'done', 'failed'))
    )`);
    await runner.query(
      `CREATE UNIQUE INDEX report_one_running ON report (kind, store) WHERE state = 'running'`,
    );
    await runner.query('CREATE INDEX report_newest ON report (kind, store, created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE report');
  }
}
