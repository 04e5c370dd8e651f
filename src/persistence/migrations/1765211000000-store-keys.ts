import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rows follow the shop, not the key that the configuration gives it. A key that served several shops belongs to the one that was read
 * last, and a shop that several keys served to the key that read it last.
 */
export class StoreKeys1765211000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE IF NOT EXISTS store_key (identity text PRIMARY KEY, store text NOT NULL)',
    );
    await runner.query('CREATE UNIQUE INDEX IF NOT EXISTS store_key_once ON store_key (store)');
    await runner.query(
      `INSERT INTO store_key (identity, store)
       SELECT DISTINCT ON (identity) identity, store FROM (
         SELECT DISTINCT ON (store) store, identity, seen FROM (
           SELECT store, split_part(external_id, ':', 1) || ':' || split_part(external_id, ':', 2) AS identity,
             max(last_seen_at) AS seen FROM store_product GROUP BY 1, 2
         ) AS served ORDER BY store, seen DESC
       ) AS latest ORDER BY identity, seen DESC ON CONFLICT DO NOTHING`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE store_key');
  }
}
