import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A store's unfinished actions are few beside its history, and every plan asks for them. */
export class UnfinishedActions1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX IF NOT EXISTS sync_action_unfinished ON sync_action (store) WHERE state IN ('planned', 'failed')`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX sync_action_unfinished');
  }
}
