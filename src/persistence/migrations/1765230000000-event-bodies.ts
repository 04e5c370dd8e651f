import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A store signs the body of an event, but neither its id nor its topic. With the body's hash, an event that somebody
 * replays under other ids is stored once. The column may be null, because the previous release does not write it.
 */
export class EventBodies1765230000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE store_event ADD COLUMN body_sha256 bytea');
    await runner.query('CREATE UNIQUE INDEX store_event_body_once ON store_event (store, body_sha256)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE store_event DROP COLUMN body_sha256');
  }
}
