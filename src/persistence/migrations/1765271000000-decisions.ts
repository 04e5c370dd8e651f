import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The decisions of people about write-backs: who decided and when, and the values before the decision. For judging, each row
 * also names the run, the sources and the credits of its result.
 */
export class Decisions1765271000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE write_back
      ADD COLUMN run_id uuid,
      ADD COLUMN sources jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN credits_consumed double precision,
      ADD COLUMN decided_at timestamptz,
      ADD COLUMN decided_by text,
      ADD COLUMN intended_before jsonb,
      ADD COLUMN bulk_change_id uuid,
      ADD COLUMN reapplied_from uuid`);
    await runner.query(`UPDATE write_back SET run_id = (
      SELECT task.run_id FROM generation_task AS task
      WHERE task.external_id = write_back.external_id AND task.requested_at <= write_back.created_at
      ORDER BY task.requested_at DESC LIMIT 1)`);
    await runner.query(
      'CREATE INDEX write_back_by_last ON write_back ((greatest(created_at, settled_at, reverted_at, decided_at)), id)',
    );
    await runner.query('CREATE INDEX write_back_by_run ON write_back (run_id) WHERE run_id IS NOT NULL');
    await runner.query(
      'CREATE INDEX write_back_by_bulk_change ON write_back (bulk_change_id) WHERE bulk_change_id IS NOT NULL',
    );
    await runner.query('CREATE INDEX write_back_decided ON write_back (decided_by, decided_at)');
    await runner.query(`CREATE TABLE bulk_change (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      action text NOT NULL,
      dry_run boolean NOT NULL,
      filter jsonb NOT NULL,
      until timestamptz NOT NULL,
      actor text NOT NULL,
      state text NOT NULL DEFAULT 'queued',
      matching integer NOT NULL,
      cursor jsonb,
      done integer NOT NULL DEFAULT 0,
      refused integer NOT NULL DEFAULT 0,
      items jsonb NOT NULL DEFAULT '[]',
      reason text,
      starts integer NOT NULL DEFAULT 0,
      lease text,
      lease_until timestamptz,
      next_attempt_at timestamptz NOT NULL DEFAULT now(),
      created_at timestamptz NOT NULL DEFAULT now(),
      finished_at timestamptz,
      CONSTRAINT bulk_change_action_check CHECK (action IN ('approve', 'reject', 'revert', 'reapply')),
      CONSTRAINT bulk_change_state_check CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled'))
    )`);
    await runner.query(
      "CREATE INDEX bulk_change_open ON bulk_change (next_attempt_at) WHERE state IN ('queued', 'running')",
    );
    await runner.query('CREATE INDEX bulk_change_newest ON bulk_change (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE bulk_change');
    await runner.query('DROP INDEX write_back_by_last');
    await runner.query('DROP INDEX write_back_decided');
    await runner.query(`ALTER TABLE write_back
      DROP COLUMN run_id, DROP COLUMN sources, DROP COLUMN credits_consumed, DROP COLUMN decided_at,
      DROP COLUMN decided_by, DROP COLUMN intended_before, DROP COLUMN bulk_change_id, DROP COLUMN reapplied_from`);
  }
}
