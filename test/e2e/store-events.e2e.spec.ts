import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac, randomUUID } from 'node:crypto';
import type { SandboxProduct } from '../../src/sandbox/store/index.js';
import { contentWrites, edit, fill, now } from '../support/e2e-products.js';
import { until, World, type Run } from '../support/e2e-world.js';

const SECRET = 'what the store signs its events with';
const PRODUCTS = 3;

let world: World;
let daemon: Awaited<ReturnType<World['start']>>;
let products: SandboxProduct[];

beforeAll(async () => {
  world = await World.open({
    store: { webhooks: { secret: SECRET } },
    // One of three products is a third of the store.
    settings: {
      stores: { main: { webhookSecret: SECRET, limits: { maxOrphanedShare: 1 } } },
    },
  });
  daemon = await world.start();
});
afterAll(() => world.end());

interface EventRow {
  readonly topic: string;
  readonly state: string;
  readonly run_id: string | null;
}

const events = (): Promise<EventRow[]> =>
  world.rows<EventRow>('SELECT topic, state, run_id FROM store_event ORDER BY received_at');

/** An event as the store sends it: signed over its bytes, in base64. */
async function send(
  body: string,
  { id, secret = SECRET, topic = 'products/update' }: { id?: string; secret?: string; topic?: string } = {},
): Promise<number> {
  const answer = await fetch(`${world.url}/webhooks/shopify/main`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-webhook-id': id ?? randomUUID(),
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
    },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Waits until every event is covered by a run that has ended; those runs, oldest first. */
async function covered(): Promise<Run[]> {
  await world.store.idle();
  const ids = await until('runs that cover the events', async () => {
    const rows = await events();
    if (rows.some(({ state }) => state === 'received')) return null;
    return [...new Set(rows.flatMap(({ run_id }) => run_id ?? []))];
  });
  const runs: Run[] = [];
  for (const id of ids) runs.push(await world.endOf(id));
  await world.settled();
  return runs;
}

async function forget(): Promise<void> {
  await covered();
  await world.rows('DELETE FROM store_event');
  world.catalog.resetRequests();
}

describe('a store whose events can be verified', () => {
  it('is subscribed to as the daemon starts, once', async () => {
    const topics = () => world.store.webhookSubscriptions().map(({ topic }) => topic);
    await until('the subscriptions', () => Promise.resolve(topics().length === 4 ? true : null));
    expect(topics().sort()).toEqual([
      ...['APP_UNINSTALLED', 'PRODUCTS_CREATE', 'PRODUCTS_DELETE', 'PRODUCTS_UPDATE'],
    ]);
    // A start takes a line or two in the log, not one for each module and route.
    expect(daemon.lines.filter((line) => /InstanceLoader|RouterExplorer/.test(line))).toEqual([]);
    for (const { uri } of world.store.webhookSubscriptions())
      expect(uri).toBe(`${world.url}/webhooks/shopify/main`);
  });

  it('gets a new product through the whole loop without a requested run', async () => {
    products = fill(world.store, PRODUCTS, { singleEvery: 2 });
    await covered();
    // The store announces our own writes, too. The runs that follow find nothing new in them.
    const runs = await covered();
    const created = runs.reduce((sum, { counts }) => sum + counts.created, 0);
    expect(created).toBe(PRODUCTS);
    for (const product of products)
      expect(now(world.store, product).descriptionHtml).toContain('Written by rules');
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
    const product = products.pop();
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
    expect((await events()).length).toBeGreaterThanOrEqual(100);
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
  it('that is sent again is kept once', async () => {
    await forget();
    const id = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send('{"id": 1}', { id })));
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await events()).toHaveLength(1);
  });

  it('that is replayed under other ids and topics is kept once: the signature covers only the body', async () => {
    await forget();
    const replay = (topic: string): Promise<number> => send('{"id": 1}', { topic });
    expect(await replay('products/update')).toBe(200);
    const [first] = await covered();
    const answers = [await replay('products/update'), await replay('products/delete'), await replay('x')];
    expect(answers).toEqual([200, 200, 200]);
    expect(await events()).toEqual([
      { topic: 'products/update', state: 'processed', run_id: first?.id ?? 'the first run' },
    ]);
  });

  it('with a wrong signature or none gets 401 and leaves no row', async () => {
    await forget();
    expect(await send('{"id": 1}', { secret: 'guessed' })).toBe(401);
    const unsigned = await fetch(`${world.url}/webhooks/shopify/main`, { method: 'POST', body: '{"id": 1}' });
    expect(unsigned.status).toBe(401);
    expect(await events()).toEqual([]);
  });

  it('that names no product of ours is covered by a run like any other', async () => {
    await forget();
    expect(await send('{"id": 999999999}')).toBe(200);
    expect(await events()).toHaveLength(1);
    for (const run of await covered()) expect(run).toMatchObject({ status: 'succeeded', error: null });
  });

  it('that has not the form of its topic is answered, leaves no row and starts no run', async () => {
    await forget();
    const runs = await world.rows('SELECT id FROM sync_run');
    for (const body of ['', 'not json', '[]', '{}', '"state"', '{"id": "1; DROP TABLE store_event"}'])
      expect(await send(body)).toBe(200);
    expect(await events()).toEqual([]);
    expect(await world.rows('SELECT id FROM sync_run')).toEqual(runs);
  });

  it('of a store that is not configured is refused as a wrong signature is, so that nobody learns which stores there are', async () => {
    const answer = await fetch(`${world.url}/webhooks/shopify/nobody`, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
  });
});
