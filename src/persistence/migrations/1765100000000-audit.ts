import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit record of API, dashboard and commands; and the sessions that were signed out before their expiry. */
export class Audit1765100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE audit_entry (
      id bigserial PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT now(),
      actor text NOT NULL,
      role text,
      via text NOT NULL,
      address text,
      what text NOT NULL,
      targets jsonb NOT NULL DEFAULT '[]',
      details jsonb NOT NULL DEFAULT '{}',
      outcome text NOT NULL DEFAULT 'begun'
    )`);
    await runner.query('CREATE INDEX audit_entry_newest ON audit_entry (at, id)');
    await runner.query(`CREATE TABLE revoked_session (
      id text PRIMARY KEY,
      until timestamptz NOT NULL
    )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_entry');
    await runner.query('DROP TABLE revoked_session');
  }
}
