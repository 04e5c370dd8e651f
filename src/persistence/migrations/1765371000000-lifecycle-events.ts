import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Events for `notifications.events`. The id names the occasion, such as a run and its end, so that replicas and restarts find each
 * event once, and a receiver that was down gets it later.
 */
export class LifecycleEvents1765371000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE lifecycle_event (
         id text PRIMARY KEY,
         kind text NOT NULL,
         store text NOT NULL,
         facts jsonb NOT NULL DEFAULT '{}',
         at timestamptz NOT NULL DEFAULT now(),
         attempts integer NOT NULL DEFAULT 0,
         next_attempt_at timestamptz NOT NULL DEFAULT now(),
         settled_at timestamptz
       )`,
    );
    await runner.query(
      'CREATE INDEX lifecycle_event_unsent ON lifecycle_event (next_attempt_at) WHERE settled_at IS NULL',
    );
    await runner.query('CREATE INDEX lifecycle_event_settled ON lifecycle_event (settled_at)');
    await runner.query('CREATE INDEX lifecycle_event_of_store ON lifecycle_event (store, kind, at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE lifecycle_event');
  }
}
