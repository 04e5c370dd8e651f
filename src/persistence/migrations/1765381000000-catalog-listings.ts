import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One copy of the catalog's listing for all stores of a workspace: with a copy for each run, the cost of a run grew with what the
 * workspace holds. The tables are unlogged, because the next walk writes them again.
 */
export class CatalogListings1765381000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE UNLOGGED TABLE catalog_listing (
         id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
         workspace text NOT NULL,
         lease text,
         lease_until timestamptz,
         started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
         read_at timestamptz,
         complete boolean NOT NULL DEFAULT false,
         products integer NOT NULL DEFAULT 0
       )`,
    );
    await runner.query(
      'CREATE UNIQUE INDEX catalog_listing_one_walk ON catalog_listing (workspace) WHERE read_at IS NULL',
    );
    await runner.query(
      `CREATE UNLOGGED TABLE catalog_listed (
         listing_id bigint NOT NULL,
         catalog_id text NOT NULL,
         external_id text,
         hides_variants boolean NOT NULL DEFAULT false,
         PRIMARY KEY (listing_id, catalog_id)
       )`,
    );
    await runner.query(
      'CREATE INDEX catalog_listed_by_external_id ON catalog_listed (listing_id, external_id)',
    );
    await runner.query(
      'CREATE INDEX catalog_listed_unread_variants ON catalog_listed (listing_id) WHERE hides_variants',
    );
    await runner.query(
      `CREATE UNLOGGED TABLE catalog_holder (
         listing_id bigint NOT NULL,
         kind text NOT NULL,
         value text NOT NULL,
         catalog_id text NOT NULL,
         is_variant boolean NOT NULL,
         external_id text,
         PRIMARY KEY (listing_id, kind, value, catalog_id, is_variant)
       )`,
    );
    await runner.query(
      'CREATE INDEX catalog_holder_by_external_id ON catalog_holder (listing_id, external_id)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE catalog_holder, catalog_listed, catalog_listing');
  }
}
