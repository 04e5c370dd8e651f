import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps why gates held a write-back back, so that review, API and journal can show it beside the text. */
export class GateFindings1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE write_back ADD COLUMN gate_findings jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE write_back DROP COLUMN gate_findings');
  }
}
