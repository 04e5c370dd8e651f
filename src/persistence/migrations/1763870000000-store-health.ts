import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A store that refuses our credentials is paused by itself: its workspace and the other stores go on. */
export class StoreHealth1763870000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE store_state
      ADD COLUMN paused_scope text,
      ADD COLUMN paused_code text,
      ADD COLUMN paused_reason text,
      ADD COLUMN paused_since timestamptz,
      ADD COLUMN paused_until timestamptz,
      ADD COLUMN pauses integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE store_state
      DROP COLUMN paused_scope,
      DROP COLUMN paused_code,
      DROP COLUMN paused_reason,
      DROP COLUMN paused_since,
      DROP COLUMN paused_until,
      DROP COLUMN pauses`);
  }
}
