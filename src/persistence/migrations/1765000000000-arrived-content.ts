import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps what each result brought, so that nothing generated is dropped without a word. The count is what `status` sums up. */
export class ArrivedContent1765000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE write_back ADD COLUMN arrived jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN unmapped_count integer NOT NULL DEFAULT 0`);
    await runner.query(
      'CREATE INDEX write_back_unmapped ON write_back (store, created_at) WHERE unmapped_count > 0',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE write_back DROP COLUMN arrived, DROP COLUMN unmapped_count');
  }
}
