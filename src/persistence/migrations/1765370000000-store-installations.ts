import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Stores of merchants who installed the app themselves. They are in no configuration file, and their tokens change every hour, so
 * both are kept here. The tokens are sealed: a copy of the database alone opens no store.
 */
export class StoreInstallations1765370000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE store_installation (
         shop text PRIMARY KEY,
         store_key text NOT NULL,
         scopes text[] NOT NULL,
         access_token text,
         access_until timestamptz,
         refresh_token text,
         installed_at timestamptz NOT NULL,
         uninstalled_at timestamptz,
         renewing_until timestamptz
       )`,
    );
    await runner.query('CREATE UNIQUE INDEX store_installation_key_once ON store_installation (store_key)');
    await runner.query('CREATE TABLE used_install_state (id text PRIMARY KEY, until timestamptz NOT NULL)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE store_installation');
    await runner.query('DROP TABLE used_install_state');
  }
}
