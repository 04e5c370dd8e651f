import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac, randomUUID } from 'node:crypto';
import type { SandboxProduct } from '../../src/sandbox/store/index.js';
import { contentWrites, edit, fill, now } from '../support/e2e-products.js';
import { until, World, type Run } from '../support/e2e-world.js';

const SECRET = 'what the store signs its events with';
const PRODUCTS = 3;

let world: World;
/** Three that events alone have taken through the whole loop: the runs of it, and their texts at its end. */
let products: SandboxProduct[];
let loop: Run[];
let texts: string[];

beforeAll(async () => {
  world = await World.open({
    store: { webhookSecret: SECRET },
    // One of three products is a third of the store.
    settings: {
      stores: { main: { webhookSecret: SECRET, limits: { maxOrphanedShare: 1 } } },
    },
  });
  await world.startHere();
  await until('the subscriptions', () => world.store.webhookSubscriptions().length === 4);
  products = fill(world.store, PRODUCTS, { singleEvery: 2 });
  await covered();
  // The store announces our own writes, too. The runs that follow find nothing new in them.
  loop = await covered();
  texts = products.map((product) => now(world.store, product).descriptionHtml);
});
afterAll(() => world.end());

/** Products that events named and no run has begun to read since. */
const announced = (): Promise<object[]> => world.rows('SELECT external_id FROM announced_product');

/** An event as the store sends it: signed over its bytes, in base64. */
async function send(
  body: string,
  { id, topic = 'products/update' }: { id?: string; topic?: string } = {},
): Promise<number> {
  const answer = await fetch(`${world.url}/webhooks/shopify/main`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-webhook-id': id ?? randomUUID(),
      'x-shopify-hmac-sha256': createHmac('sha256', SECRET).update(body).digest('base64'),
    },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}

let forgotten: string[] = [];
const eventRuns = async (): Promise<string[]> => {
  const rows = await world.rows<{ id: string }>(
    `SELECT id FROM sync_run WHERE trigger = 'event' ORDER BY created_at`,
  );
  return rows.map(({ id }) => id).filter((id) => !forgotten.includes(id));
};

/** Waits until every event is covered by a run that has ended; the runs of events since `forget`, oldest first. */
async function covered(): Promise<Run[]> {
  await world.store.idle();
  await until('runs that cover the events', async () => ((await announced()).length > 0 ? null : true));
  const runs: Run[] = [];
  for (const id of await eventRuns()) runs.push(await world.endOf(id));
  await world.settled();
  return runs;
}

async function forget(): Promise<void> {
  await covered();
  forgotten = [...forgotten, ...(await eventRuns())];
  world.catalog.resetRequests();
}

describe('a store whose events can be verified', () => {
  it('is subscribed to as the daemon starts, once', () => {
    const topics = world.store.webhookSubscriptions().map(({ topic }) => topic);
    expect(topics.sort()).toEqual([
      ...['APP_UNINSTALLED', 'PRODUCTS_CREATE', 'PRODUCTS_DELETE', 'PRODUCTS_UPDATE'],
    ]);
    for (const { uri } of world.store.webhookSubscriptions())
      expect(uri).toBe(`${world.url}/webhooks/shopify/main`);
  });

  it('gets a new product through the whole loop without a requested run', async () => {
    const created = loop.reduce((sum, { counts }) => sum + counts.created, 0);
    expect(created).toBe(PRODUCTS);
    for (const text of texts) expect(text).toContain('Written by rules');
    expect(await world.rows(`SELECT 1 FROM sync_run WHERE trigger <> 'event'`)).toEqual([]);
  });

  it('has an edit pushed to the catalog, and nothing else', async () => {
    await forget();
    const [product] = products;
    if (!product) throw new Error('no product');
    edit(world.store, product, { vendor: 'Another maker' });
    const runs = await covered();
    expect(runs.reduce((sum, { counts }) => sum + counts.updated, 0)).toBe(1);
    const writes = world.catalogWrites().filter((write) => write.startsWith('PATCH'));
    expect(writes).toHaveLength(1);
  });

  it('has a product that it deletes noticed', async () => {
    await forget();
    const product = products.at(-1);
    if (!product) throw new Error('no product');
    world.store.products.delete(product.id);
    const runs = await covered();
    expect(runs.reduce((sum, { counts }) => sum + counts.orphaned, 0)).toBe(1);
  });
});

describe('echoes of what was written', () => {
  it('a hundred times over start nothing: no catalog write, no generation, no store write', async () => {
    await forget();
    const [product] = products;
    if (!product) throw new Error('no product');
    const storeWrites = contentWrites(world.store).length;
    const tasks = await world.rows('SELECT 1 FROM generation_task');
    for (let count = 0; count < 100; count += 1) {
      const body = JSON.stringify({ id: product.id, admin_graphql_api_id: product.gid, count });
      expect(await send(body)).toBe(200);
    }
    const runs = await covered();
    // A burst is one run's work, or two when it comes while one is active.
    expect(runs.length).toBeLessThanOrEqual(2);
    for (const { counts } of runs)
      expect(counts).toMatchObject({ created: 0, updated: 0, generationRequested: 0 });
    expect(world.catalogWrites()).toEqual([]);
    expect(contentWrites(world.store)).toHaveLength(storeWrites);
    expect(await world.rows('SELECT 1 FROM generation_task')).toHaveLength(tasks.length);
  });
});

describe('an event', () => {
  it('that is sent again, or replayed under other ids and topics, owes its product once', async () => {
    await forget();
    const id = randomUUID();
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => send('{"id": 1}', { id })),
      ...['products/update', 'products/delete', 'x'].map((topic) => send('{"id": 1}', { topic })),
    ]);
    expect(new Set(answers)).toEqual(new Set([200]));
    // A burst is one run's work, or two when it comes while one is active.
    expect((await covered()).length).toBeLessThanOrEqual(2);
    expect(await world.rows('SELECT 1 FROM owed_product')).toEqual([]);
  });
});
