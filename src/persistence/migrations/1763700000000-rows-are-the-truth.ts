import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of docs/decisions/0001-rows-before-queues.md. Exactly-once effects rest on the unique indexes here, each
 * with its reason; the queue only signals. Everything that varies by vendor or by release lives in jsonb that is
 * parsed when it is read.
 */
export class RowsAreTheTruth1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(
      new Error('the first migration has no way back: it would drop the journal of what was written'),
    );
  }
}

const STATEMENTS = [
  `CREATE TABLE store_product (
    external_id text PRIMARY KEY,
    store text NOT NULL,
    workspace text NOT NULL,
    store_id text NOT NULL,
    label text NOT NULL,
    handle text,
    state text NOT NULL CHECK (state IN ('linked', 'pending', 'conflicted', 'orphaned')),
    catalog_id text,
    creation_task_id text,
    creation_started_at timestamptz,
    variant_links jsonb NOT NULL DEFAULT '{}',
    source_fingerprint text,
    pushed_fields jsonb NOT NULL DEFAULT '{}',
    seen_fields jsonb NOT NULL DEFAULT '{}',
    written jsonb,
    withheld jsonb NOT NULL DEFAULT '[]',
    generation_due boolean NOT NULL DEFAULT false,
    newest_result_at timestamptz,
    write_lease text,
    write_lease_until timestamptz,
    first_seen_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    orphaned_at timestamptz
  )`,
  'CREATE INDEX store_product_by_store ON store_product (store)',
  'CREATE INDEX store_product_by_catalog_id ON store_product (workspace, catalog_id)',
  // Few of many: what reconcile asks for every minute must not read the whole table.
  "CREATE INDEX store_product_pending ON store_product (store) WHERE state = 'pending'",
  'CREATE INDEX store_product_generation_due ON store_product (store) WHERE generation_due',
  "CREATE INDEX store_product_withheld ON store_product (store) WHERE withheld <> '[]'",

  `CREATE TABLE product_identifier (
    workspace text NOT NULL,
    kind text NOT NULL,
    value text NOT NULL,
    owner text NOT NULL,
    store text NOT NULL,
    product text NOT NULL,
    PRIMARY KEY (workspace, kind, value, owner)
  )`,
  'CREATE INDEX product_identifier_by_product ON product_identifier (product)',

  `CREATE TABLE sync_run (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    store text NOT NULL,
    workspace text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('full', 'incremental')),
    trigger text NOT NULL,
    slot timestamptz,
    force boolean NOT NULL DEFAULT false,
    state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'succeeded', 'partial', 'failed')),
    phase text NOT NULL DEFAULT 'extract' CHECK (phase IN ('extract', 'apply', 'done')),
    operation text,
    read_from timestamptz,
    counts jsonb NOT NULL DEFAULT '{}',
    error text,
    error_code text,
    attempts integer NOT NULL DEFAULT 0,
    retry_at timestamptz,
    lease text,
    lease_until timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz
  )`,
  // Two replicas, a command and a schedule may all ask at once: a store has one active run, and the rest join it.
  "CREATE UNIQUE INDEX sync_run_one_active ON sync_run (store) WHERE state IN ('queued', 'running')",
  // Every replica fires every tick: one run per slot of the schedule.
  'CREATE UNIQUE INDEX sync_run_one_per_slot ON sync_run (store, slot) WHERE slot IS NOT NULL',
  'CREATE INDEX sync_run_by_store ON sync_run (store, created_at DESC)',

  `CREATE TABLE sync_action (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id uuid NOT NULL REFERENCES sync_run (id) ON DELETE CASCADE,
    store text NOT NULL,
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
    seen jsonb NOT NULL DEFAULT '{}',
    wants_generation boolean NOT NULL DEFAULT false,
    state text NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'applied', 'failed', 'superseded')),
    attempts integer NOT NULL DEFAULT 0,
    error jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz
  )`,
  // A product has one action in a run, however often a resumed run plans it.
  'CREATE UNIQUE INDEX sync_action_once_per_run ON sync_action (run_id, external_id)',
  "CREATE INDEX sync_action_open ON sync_action (run_id, id) WHERE state IN ('planned', 'failed')",
  'CREATE INDEX sync_action_by_product ON sync_action (external_id, id DESC)',

  `CREATE TABLE generation_task (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    store text NOT NULL,
    workspace text NOT NULL,
    external_id text NOT NULL,
    catalog_id text NOT NULL,
    run_id uuid,
    state text NOT NULL DEFAULT 'requested'
      CHECK (state IN ('requested', 'succeeded', 'failed', 'no_urls', 'abandoned')),
    task_id text,
    task_is_shared boolean NOT NULL DEFAULT false,
    source_fingerprint text,
    seen jsonb NOT NULL DEFAULT '{}',
    reason text,
    polls integer NOT NULL DEFAULT 0,
    requested_at timestamptz NOT NULL DEFAULT now(),
    answered_at timestamptz,
    next_poll_at timestamptz NOT NULL,
    settled_at timestamptz,
    settled_by text
  )`,
  // Asking twice costs credits twice: one open task per product, whoever asks.
  "CREATE UNIQUE INDEX generation_task_one_open ON generation_task (external_id) WHERE state = 'requested'",
  "CREATE INDEX generation_task_due ON generation_task (next_poll_at) WHERE state = 'requested'",
  'CREATE INDEX generation_task_by_product ON generation_task (external_id, requested_at DESC)',
  'CREATE INDEX generation_task_by_task ON generation_task (workspace, task_id)',

  `CREATE TABLE webhook_delivery (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    workspace text NOT NULL,
    dedupe_key text NOT NULL,
    via text NOT NULL CHECK (via IN ('webhook', 'poll')),
    state text NOT NULL DEFAULT 'received' CHECK (state IN ('received', 'processed', 'parked', 'failed')),
    headers jsonb NOT NULL DEFAULT '{}',
    raw_body bytea NOT NULL,
    action text,
    external_id text,
    task_id text,
    note text,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    lease text,
    lease_until timestamptz,
    received_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz
  )`,
  // The sender repeats what it did not hear us acknowledge: one inbox row per delivery.
  'CREATE UNIQUE INDEX webhook_delivery_once ON webhook_delivery (workspace, dedupe_key)',
  "CREATE INDEX webhook_delivery_due ON webhook_delivery (next_attempt_at) WHERE state = 'received'",
  'CREATE INDEX webhook_delivery_by_time ON webhook_delivery (received_at DESC)',
  'CREATE INDEX webhook_delivery_by_product ON webhook_delivery (external_id, received_at DESC)',

  `CREATE TABLE write_back (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    store text NOT NULL,
    workspace text NOT NULL,
    external_id text NOT NULL,
    delivery_id uuid,
    content_fingerprint text NOT NULL,
    result_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN
      ('pending_review', 'ready', 'applied', 'skipped', 'conflicted', 'failed', 'rejected', 'reverted')),
    intended jsonb NOT NULL,
    seen jsonb NOT NULL DEFAULT '{}',
    sent jsonb NOT NULL DEFAULT '{}',
    fields jsonb NOT NULL DEFAULT '[]',
    released boolean NOT NULL DEFAULT false,
    reason text,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz,
    reverted_at timestamptz
  )`,
  // The same content is applied to a product once, however often its result is reported.
  `CREATE UNIQUE INDEX write_back_applied_once ON write_back (external_id, content_fingerprint) WHERE state = 'applied'`,
  // One row per result: a delivery that is interpreted again finds the row it made before.
  'CREATE UNIQUE INDEX write_back_once_per_delivery ON write_back (delivery_id) WHERE delivery_id IS NOT NULL',
  "CREATE INDEX write_back_due ON write_back (next_attempt_at) WHERE state = 'ready'",
  'CREATE INDEX write_back_by_product ON write_back (external_id, created_at DESC)',
  'CREATE INDEX write_back_by_state ON write_back (state, created_at DESC)',

  `CREATE TABLE workspace_state (
    workspace text PRIMARY KEY,
    credits_remaining double precision,
    credits_at timestamptz,
    paused_reason text,
    paused_until timestamptz,
    pauses integer NOT NULL DEFAULT 0,
    webhook_finding text,
    webhook_checked_at timestamptz
  )`,
  `CREATE TABLE store_state (
    store text PRIMARY KEY,
    watermark timestamptz,
    incrementals_since_full integer NOT NULL DEFAULT 0,
    last_full_at timestamptz
  )`,
  `CREATE TABLE store_event (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    store text NOT NULL,
    event_id text NOT NULL,
    topic text NOT NULL,
    headers jsonb NOT NULL DEFAULT '{}',
    raw_body bytea NOT NULL,
    state text NOT NULL DEFAULT 'received' CHECK (state IN ('received', 'processed')),
    run_id uuid,
    received_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz
  )`,
  // The store repeats an event under the same id until it hears an answer.
  'CREATE UNIQUE INDEX store_event_once ON store_event (store, event_id)',
  "CREATE INDEX store_event_open ON store_event (store) WHERE state = 'received'",
  'CREATE INDEX store_event_by_run ON store_event (run_id)',
];
