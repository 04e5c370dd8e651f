import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The overview shows coverage over the last month, and the rows know the present alone: one small row per store and day. The
 * indexes let the counts of all stores be read from the indexes alone.
 */
export class StoreDays1765361000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE store_day (
      store text NOT NULL,
      day date NOT NULL,
      products integer NOT NULL,
      with_content integer NOT NULL,
      PRIMARY KEY (store, day)
    )`);
    await runner.query(
      'CREATE INDEX store_product_content ON store_product (store, state, newest_result_at)',
    );
    await runner.query('CREATE INDEX generation_task_by_store ON generation_task (store, state)');
    await runner.query('CREATE INDEX write_back_by_store ON write_back (store, state)');
    await runner.query(
      'CREATE INDEX write_back_credits ON write_back (workspace, created_at) WHERE credits_consumed IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX write_back_credits');
    await runner.query('DROP INDEX write_back_by_store');
    await runner.query('DROP INDEX generation_task_by_store');
    await runner.query('DROP INDEX store_product_content');
    await runner.query('DROP TABLE store_day');
  }
}
