import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How far the upload of a first load as CSV files has come, so that the next worker of the run neither repeats nor forgets a file. */
export class CsvUpload1765350000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_run ADD COLUMN csv_upload jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sync_run DROP COLUMN csv_upload');
  }
}
