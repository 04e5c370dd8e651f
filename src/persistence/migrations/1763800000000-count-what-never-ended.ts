import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Attempts that began and never ended, in a row: a row that kills whoever works on it is set aside after a few, instead of
 * taking the process down for ever. `attempts` cannot tell: an attempt that ended in a postponement counts there as well.
 */
export class CountWhatNeverEnded1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES)
      await runner.query(`ALTER TABLE ${table} ADD COLUMN unended integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} DROP COLUMN unended`);
  }
}

const TABLES = ['webhook_delivery', 'write_back', 'sync_run'];
