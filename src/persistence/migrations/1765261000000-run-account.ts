import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The account of a run for people: remarks that are no errors, its phases, its requests, and who cancelled it. */
export class RunAccount1765261000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sync_run
      ADD COLUMN notes jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN phases jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN requests jsonb NOT NULL DEFAULT '{}',
      ADD COLUMN cancelled_by text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE sync_run DROP COLUMN notes, DROP COLUMN phases, DROP COLUMN requests, DROP COLUMN cancelled_by',
    );
  }
}
