import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts attempts in a row that started and never ended. A row that kills its worker is parked after a few, instead
 * of ending the process again and again. `attempts` is no substitute: a postponed attempt counts there as well.
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
