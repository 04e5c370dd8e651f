import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Plans that are kept for review (docs/decisions/0022-saved-plans-are-exact.md). An entry holds what the action holds and, beside it, the link
 * as it stood: what has moved since is refused when the plan is applied.
 */
export class SavedPlans1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE saved_plan_entry');
    await runner.query('DROP TABLE saved_plan');
  }
}

const STATEMENTS = [
  // The run that carried a plan out is named, not referenced: runs are cleared away before plans are.
  `CREATE TABLE saved_plan (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    store text NOT NULL,
    workspace text NOT NULL,
    kind text NOT NULL DEFAULT 'full' CHECK (kind IN ('full', 'incremental')),
    state text NOT NULL DEFAULT 'planning' CHECK (state IN ('planning', 'saved', 'applied', 'failed')),
    counts jsonb NOT NULL DEFAULT '{}',
    entries integer NOT NULL DEFAULT 0,
    incomplete text,
    error text,
    run_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    applied_at timestamptz
  )`,
  'CREATE INDEX saved_plan_by_time ON saved_plan (created_at DESC)',
  `CREATE TABLE saved_plan_entry (
    plan_id uuid NOT NULL REFERENCES saved_plan (id) ON DELETE CASCADE,
    position bigint NOT NULL,
    external_id text NOT NULL,
    store_id text NOT NULL,
    label text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('create', 'adopt', 'update', 'orphan')),
    catalog_id text,
    reason text NOT NULL,
    fields jsonb NOT NULL DEFAULT '[]',
    body jsonb,
    withheld jsonb NOT NULL DEFAULT '[]',
    source_fingerprint text,
    wants_generation boolean NOT NULL DEFAULT false,
    link_state text,
    link_catalog_id text,
    link_source_fingerprint text,
    PRIMARY KEY (plan_id, position)
  )`,
  // A product has one entry in a plan, as it has one action in a run.
  'CREATE UNIQUE INDEX saved_plan_entry_once ON saved_plan_entry (plan_id, external_id)',
];
