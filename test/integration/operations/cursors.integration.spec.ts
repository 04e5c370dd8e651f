import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { World } from '../../support/e2e-world.js';

const RUN = '11111111-1111-4111-8111-111111111111';
/** Three rows share an instant, and the next three come a microsecond later: only exact places tell them apart. */
const FIRST = 9;

let world: World;
beforeAll(async () => {
  world = await World.open({});
  await world.startHere();
  await world.rows(
    `INSERT INTO sync_run (id, store, workspace, kind, trigger, state, created_at)
     VALUES ($1, 'main', 'default', 'full', 'api', 'succeeded', '2025-01-01')`,
    [RUN],
  );
  for (let n = 0; n < FIRST; n += 1) await add(n);
}, 120_000);
afterAll(() => world.end(), 60_000);

/** One row of each list. Those of a greater number are newer, and stand before in the account of the run. */
async function add(n: number): Promise<void> {
  const id = `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const product = `shopify:${world.store.shop}:${String(9000 + n)}`;
  const label = `Lamp ${String(99 - Math.floor(n / 3))}`;
  const at = `(timestamptz '2026-01-01' + ${String(Math.floor(n / 3))} * interval '1 microsecond')`;
  for (const statement of [
    `INSERT INTO store_product (external_id, store, workspace, store_id, label, state, first_seen_at, last_seen_at)
     SELECT $2, 'main', 'default', $1, $3, 'linked', ${at}, ${at}`,
    `INSERT INTO webhook_delivery (id, workspace, via, state, raw_body, dedupe_key, external_id, note, received_at)
     SELECT $1::text::uuid, 'default', 'webhook', 'parked', '', $1::text, $2, $3, ${at}`,
    `INSERT INTO write_back (id, store, workspace, external_id, content_fingerprint, result_at, state, intended, reason, created_at)
     SELECT $1::text::uuid, 'main', 'default', $2, $1::text, now(), 'rejected', '[]', $3, ${at}`,
    `INSERT INTO sync_run (id, store, workspace, kind, trigger, state, error, created_at)
     SELECT $1::text::uuid, 'main', 'default', 'full', $2, 'failed', $3, ${at}`,
    `INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, reason, state, settled_at)
     SELECT '${RUN}'::uuid, 'main', $2, $1, $3, 'update', '', 'applied', ${at}`,
    `INSERT INTO bulk_change (id, action, dry_run, filter, actor, state, matching, until, reason, created_at)
     SELECT $1::text::uuid, 'reject', false, '{}', $2, 'done', 0, now(), $3, ${at}`,
    `INSERT INTO audit_entry (actor, via, what, targets, at) SELECT $1, 'api', $3, to_jsonb(ARRAY[$2::text]), ${at}`,
  ])
    await world.rows(statement, [id, product, label]);
}

const rowSchema = z.looseObject({
  id: z.string().optional(),
  externalId: z.string().nullish(),
});
const pageSchema = z.object({ items: z.array(rowSchema), total: z.number(), next: z.string().nullable() });

async function page(path: string): Promise<z.output<typeof pageSchema>> {
  const { status, body } = await world.api('GET', `/api/v1/${path}`);
  if (status !== 200) throw new Error(`${path}: ${String(status)} ${JSON.stringify(body)}`);
  return pageSchema.parse(body);
}

function nameOf({ id, externalId }: z.output<typeof rowSchema>): string {
  return id ?? externalId ?? '';
}

let added = FIRST;

describe.each([
  ['products', 'products?'],
  ['products by title', 'products?sort=title&'],
  ['products by their last sight', 'products?sort=seen&'],
  ['write-backs', 'write-backs?'],
  ['deliveries', 'deliveries?'],
  ['syncs', 'syncs?'],
  ['the items of a sync', `syncs/${RUN}/items?`],
  ['bulk changes', 'write-backs/bulk?'],
  ['the record', 'audit?'],
])('%s', (_what, path) => {
  it('come page by page, none twice and none missing, while rows are added before them', async () => {
    const all = (await page(`${path}limit=200`)).items.map(nameOf);
    const seen: string[] = [];
    let pages = 0;
    for (let next: string | null = ''; next !== null;) {
      const found = await page(`${path}limit=4${next === '' ? '' : `&cursor=${next}`}`);
      seen.push(...found.items.map(nameOf));
      next = found.next;
      pages += 1;
      if (pages > 3) continue;
      await add(added);
      added += 1;
    }
    expect(all.length).toBeGreaterThanOrEqual(FIRST);
    expect(seen).toEqual(all);
  }, 60_000);

  it('refuse what is no cursor of theirs', async () => {
    for (const cursor of ['x', 'bm8', Buffer.from('["createdAt asc ","x","y"]').toString('base64url')]) {
      const { status, body } = await world.api('GET', `/api/v1/${path}cursor=${cursor}`);
      expect([cursor, status, body]).toEqual([cursor, 400, expect.objectContaining({ code: 'invalid' })]);
    }
  });
});

it('a place that the database cannot read is refused', async () => {
  const cursor = Buffer.from('["createdAt desc ","2026-99-99","no id"]').toString('base64url');
  expect((await world.api('GET', `/api/v1/syncs?cursor=${cursor}`)).status).toBe(400);
});

it('the other way round, rows that are added come at the end', async () => {
  const small = await page('deliveries?order=asc&limit=2');
  const rest = await page(`deliveries?order=asc&limit=200&cursor=${small.next ?? ''}`);
  expect([...small.items, ...rest.items].map(nameOf)).toEqual(
    (await page('deliveries?order=asc&limit=200')).items.map(nameOf),
  );
});
