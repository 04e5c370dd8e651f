/** The sandbox's tables, in a schema of their own. */
export const TABLES = `
  CREATE TABLE setting (key text PRIMARY KEY, value jsonb NOT NULL);

  CREATE TABLE account (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL UNIQUE,
    password_hash text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL
  );

  -- Only the hash: the token itself is shown once, at creation.
  CREATE TABLE api_token (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    token_hash text NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
  );

  CREATE TABLE category (
    id uuid PRIMARY KEY,
    parent_id uuid REFERENCES category,
    path text NOT NULL UNIQUE
  );

  -- Parents, standalone products and variants alike, so that one constraint per identifier holds over all of them.
  -- Deferred, because replacing a set of variants may pass through states in which two of them share a value.
  -- json rather than jsonb for what is free-form: it keeps the order of keys.
  CREATE TABLE product (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    parent_id integer REFERENCES product ON DELETE CASCADE,
    external_id text,
    sku text CONSTRAINT product_sku_key UNIQUE DEFERRABLE INITIALLY DEFERRED,
    barcode text CONSTRAINT product_barcode_key UNIQUE DEFERRABLE INITIALLY DEFERRED,
    mpn text CONSTRAINT product_mpn_key UNIQUE DEFERRABLE INITIALLY DEFERRED,
    asin text CONSTRAINT product_asin_key UNIQUE DEFERRABLE INITIALLY DEFERRED,
    brand text,
    category text,
    category_id uuid REFERENCES category,
    url text,
    crawl_configuration json,
    images json NOT NULL DEFAULT '[]',
    metadata json NOT NULL DEFAULT '{}',
    product_lists text[] NOT NULL DEFAULT '{}',
    tags integer[] NOT NULL DEFAULT '{}',
    is_product_model boolean NOT NULL DEFAULT false,
    generation_status text NOT NULL DEFAULT 'none'
      CHECK (generation_status IN ('none', 'open', 'success', 'failed', 'no_urls')),
    generation_at timestamptz,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX product_external_id ON product (external_id);
  CREATE INDEX product_parent_id ON product (parent_id);
  CREATE INDEX product_listing ON product (created_at, id) WHERE parent_id IS NULL;

  -- What depends on the locale. Generated text lies over the written text, so that a second generation starts from the
  -- same source as the first; a write takes it away again.
  CREATE TABLE product_text (
    product_id integer NOT NULL REFERENCES product ON DELETE CASCADE,
    locale text NOT NULL,
    name text,
    description text,
    html_description text,
    open_attributes json,
    generated_name text,
    generated_description text,
    generated_html_description text,
    sections json,
    PRIMARY KEY (product_id, locale)
  );

  CREATE TABLE background_task (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('create_model', 'csv_upload', 'generate', 'generate_product')),
    status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'STARTED', 'SUCCESS', 'FAILURE')),
    parent_id integer REFERENCES background_task ON DELETE CASCADE,
    product_id integer,
    payload json NOT NULL,
    result json,
    reason text,
    attempts integer NOT NULL DEFAULT 0,
    run_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  );
  CREATE INDEX background_task_due ON background_task (run_at)
    WHERE status IN ('PENDING', 'STARTED') AND kind <> 'generate';
  CREATE INDEX background_task_parent ON background_task (parent_id);

  -- docs/catalog-rules.md#limits: one webhook configuration per workspace.
  CREATE TABLE webhook_configuration (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    url text NOT NULL,
    hmac_secret text,
    actions text[] NOT NULL
  );

  -- dedupe_key is what is never notified twice. The body is text: every attempt sends the same bytes.
  CREATE TABLE delivery (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    dedupe_key text NOT NULL UNIQUE,
    product_id integer NOT NULL,
    task_id integer NOT NULL,
    action text NOT NULL,
    body text NOT NULL,
    state text NOT NULL DEFAULT 'pending'
      CHECK (state IN ('pending', 'delivered', 'refused', 'exhausted', 'cancelled')),
    attempts jsonb NOT NULL DEFAULT '[]',
    next_attempt_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL
  );
  CREATE INDEX delivery_due ON delivery (next_attempt_at) WHERE state = 'pending';
`;
