import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The conditions that cause notifications, one row per condition from its beginning to its end. The row also has the
 * progress of the notification. So any number of replicas sends a change once, and a change survives the process that
 * noticed it.
 */
export class Notifications1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhook_delivery_set_aside');
    await runner.query('ALTER TABLE workspace_state DROP COLUMN webhook_state');
    await runner.query('DROP TABLE notification');
  }
}

const STATEMENTS = [
  `CREATE TABLE notification (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    subject text NOT NULL,
    facts jsonb NOT NULL DEFAULT '{}',
    since timestamptz NOT NULL,
    ended_at timestamptz,
    told text NOT NULL DEFAULT 'nothing' CHECK (told IN ('nothing', 'begun', 'ended')),
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    lease text,
    lease_until timestamptz,
    told_at timestamptz
  )`,
  // A condition that lasts is one row, whoever notices it and however often.
  'CREATE UNIQUE INDEX notification_one_open ON notification (kind, subject) WHERE ended_at IS NULL',
  `CREATE INDEX notification_untold ON notification (next_attempt_at)
     WHERE told = 'nothing' OR (told = 'begun' AND ended_at IS NOT NULL)`,
  // The owner of the slot, for programs; the finding beside it is for people.
  'ALTER TABLE workspace_state ADD COLUMN webhook_state text',
  // Few of many: asked for every few seconds.
  `CREATE INDEX webhook_delivery_set_aside ON webhook_delivery (workspace) WHERE state IN ('parked', 'failed')`,
];
