import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Three facts. The catalog's content at the request distinguishes a result from older content. The service's display
 * of our webhook secret identifies our slot. Result times in the future are set to the present.
 */
export class WhatTheCatalogHeld1763850000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE store_product ADD COLUMN catalog_fields jsonb');
    await runner.query('ALTER TABLE generation_task ADD COLUMN asked_fields jsonb');
    await runner.query(
      'ALTER TABLE workspace_state ADD COLUMN webhook_secret_sent text, ADD COLUMN webhook_secret_shown text',
    );
    const limit = `now() + interval '5 minutes'`;
    for (const [table, column] of [
      ['store_product', 'newest_result_at'],
      ['write_back', 'result_at'],
      ['workspace_state', 'credits_at'],
    ])
      await runner.query(`UPDATE ${table} SET ${column} = ${limit} WHERE ${column} > ${limit}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE workspace_state DROP COLUMN webhook_secret_sent, DROP COLUMN webhook_secret_shown',
    );
    await runner.query('ALTER TABLE generation_task DROP COLUMN asked_fields');
    await runner.query('ALTER TABLE store_product DROP COLUMN catalog_fields');
  }
}
