import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The result of a variant is a row of its own, which neither replaces results of its product nor is replaced by them. */
export class VariantResults1765304000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE write_back ADD COLUMN variant text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE write_back DROP COLUMN variant');
  }
}
