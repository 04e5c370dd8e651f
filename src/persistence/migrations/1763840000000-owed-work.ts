import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Everything that is put off is a row, so that the next run continues with it and people see it. Failures and open
 * actions of earlier releases become such rows.
 */
export class OwedWork1763840000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE owed_product');
  }
}

const STATEMENTS = [
  `CREATE TABLE owed_product (
    external_id text PRIMARY KEY,
    store text NOT NULL,
    store_id text NOT NULL,
    label text NOT NULL DEFAULT '',
    code text NOT NULL,
    detail text,
    since timestamptz NOT NULL DEFAULT now(),
    noted_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT owed_product_code_check CHECK (code IN ('changed', 'being_written', 'being_created', 'creation_failed',
      'refused', 'unavailable', 'not_applied', 'not_understood', 'without_identifiers', 'identifier_released',
      'gone_from_catalog'))
  )`,
  'CREATE INDEX owed_product_by_store ON owed_product (store, external_id)',
  `INSERT INTO owed_product (external_id, store, store_id, label, code, detail, since)
   SELECT DISTINCT ON (external_id) external_id, store, store_id, label,
     CASE WHEN state = 'planned' THEN 'not_applied' ELSE 'refused' END, error->>'message', created_at
   FROM sync_action WHERE state IN ('planned', 'failed')
     AND run_id NOT IN (SELECT id FROM sync_run WHERE state IN ('queued', 'running'))
   ORDER BY external_id, id DESC`,
  `INSERT INTO owed_product (external_id, store, store_id, label, code)
   SELECT external_id, store, store_id, label, 'being_created' FROM store_product WHERE state = 'pending'
   ON CONFLICT DO NOTHING`,
];
