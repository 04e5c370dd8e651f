import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A request to erase a shop outlives a crash: erasing a large shop takes many statements. */
export class ShopRedactions1765450000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE shop_redaction (shop text PRIMARY KEY, store_key text NOT NULL, requested_at timestamptz NOT NULL DEFAULT now())',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shop_redaction');
  }
}
