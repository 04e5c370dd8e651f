import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run that needs the catalog's listing while another run reads it lets others have its worker. */
export class RunsThatWaitForTheListing1765460000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_run ADD COLUMN waits_for_listing boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_run DROP COLUMN waits_for_listing');
  }
}
