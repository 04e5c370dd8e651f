import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { until, World } from '../../support/e2e-world.js';

let world: World;

beforeAll(async () => {
  // Every result comes by webhook, once. A poll that overtakes a webhook would make a second delivery of the same result.
  world = await World.open({ settings: { workspaces: { default: { tasks: { pollSeconds: 86_400 } } } } });
  for (const n of [1, 2, 3]) {
    world.store.products.create({
      title: `Lamp ${n}`,
      handle: `lamp-${n}`,
      descriptionHtml: `<p>A lamp of ${n} watts.</p>`,
      vendor: 'Lux',
    });
  }
  await world.startHere();
  await until('the webhook slot is ours', async () => {
    const slots = await world.rows(`SELECT 1 FROM workspace_state WHERE webhook_state = 'ours'`);
    return slots.length === 1;
  });
  await world.runToEnd();
  await world.settled();
});

afterAll(async () => {
  await world.end();
});

const page = z.object({
  items: z.array(z.looseObject({ id: z.string() })),
  total: z.number(),
  limit: z.number(),
  offset: z.number(),
});

async function listed(path: string): Promise<z.output<typeof page>> {
  return page.parse((await world.api('GET', path)).body);
}

describe('lists', () => {
  it.each([
    ['state=lost', 'state'],
    ['limit=-1', 'limit'],
    ['limit=9999', 'limit'],
    ['offset=x', 'offset'],
    ['order=up', 'order'],
  ])('refuse %s and name the key', async (query, key) => {
    const { status, body } = await world.api('GET', `/api/v1/deliveries?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400, error: 'Bad Request', details: [{ path: key }] });
  });
});

// routes-roles.spec.ts proves that each route wants a token, and security/requests.e2e.spec.ts what is answered without one.
describe('a route', () => {
  it.each([
    ['GET', '/products/nobody'],
    ['GET', '/deliveries/nobody'],
    ['POST', '/deliveries/nobody/replay'],
    ['GET', '/write-backs/nobody'],
    ['POST', '/write-backs/nobody/revert'],
    ['GET', '/plans/nobody'],
    ['GET', '/plans/nobody/entries'],
    ['POST', '/plans/nobody/apply'],
    ['GET', '/syncs/nobody'],
    ['GET', '/stores/nobody/drift'],
    ['POST', '/stores/nobody/generate'],
    ['POST', '/stores/nobody/plans'],
    ['GET', '/webhook?workspace=nobody'],
  ] as const)('%s %s answers 404 for what it does not know', async (method, path) => {
    const { status, body } = await world.api(method, `/api/v1${path}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({
      statusCode: 404,
      error: 'Not Found',
      message: expect.stringContaining('nobody'),
    });
  });
});

describe('a product', () => {
  it('is found by its URL-encoded external_id and shows its timeline from source to store', async () => {
    const product = world.store.products.byHandle('lamp-1');
    const externalId = `shopify:main.myshopify.com:${String(product?.id)}`;
    const { status, body } = await world.api('GET', `/api/v1/products/${encodeURIComponent(externalId)}`);
    expect(status).toBe(200);
    const timeline = z
      .object({
        timeline: z.array(z.looseObject({ at: z.string(), kind: z.string(), what: z.string() })),
        standing: z.string(),
      })
      .parse(body);
    expect(timeline.standing).toMatch(/^content was written/);
    const kinds = timeline.timeline.map(({ kind }) => kind);
    for (const kind of ['source', 'run', 'link', 'task', 'delivery', 'write-back'])
      expect(kinds).toContain(kind);
    const times = timeline.timeline.map(({ at }) => at);
    expect(times).toEqual([...times].sort());
  });
});

describe('a delivery', () => {
  it('shows its body and is replayed to the same end, with nothing written twice', async () => {
    const [first] = (await listed('/api/v1/deliveries')).items;
    const shown = await world.api('GET', `/api/v1/deliveries/${first!.id}`);
    expect(shown.body).toMatchObject({ state: 'processed', body: { action: 'product_generated' } });
    const writes = world.store.mutations.length;
    const applied = async () => (await listed('/api/v1/write-backs?state=applied')).total;
    const before = await applied();
    const replayed = await world.api('POST', `/api/v1/deliveries/${first!.id}/replay`);
    expect(replayed).toMatchObject({ status: 202, body: { ok: true } });
    await world.settled();
    expect(await applied()).toBe(before);
    expect(world.store.mutations).toHaveLength(writes);
  });
});

describe('a write-back', () => {
  it('that was applied cannot be approved, and says what it is', async () => {
    const [first] = (await listed('/api/v1/write-backs')).items;
    expect(await world.api('POST', `/api/v1/write-backs/${first!.id}/approve`)).toMatchObject({
      status: 409,
      body: { statusCode: 409, error: 'Conflict', message: expect.stringContaining('is applied') },
    });
  });

  it('is one of all that a filter selects: a bulk change reports them, and a filter is required', async () => {
    const refused = await world.api('POST', '/api/v1/write-backs/bulk', { action: 'revert', filter: {} });
    expect(refused.status).toBe(400);
    const unknown = { action: 'revert', filter: { store: 'main', colour: 'red' } };
    expect((await world.api('POST', '/api/v1/write-backs/bulk', unknown)).status).toBe(400);
    const dry = { action: 'revert', filter: { store: 'main' }, dryRun: true };
    const made = await world.api('POST', '/api/v1/write-backs/bulk', dry);
    expect(made.status).toBe(202);
    const { id } = z.looseObject({ id: z.string() }).parse(made.body);
    const writes = world.store.mutations.length;
    const done = await until('the dry run', async () => {
      const { body } = await world.api('GET', `/api/v1/write-backs/bulk/${id}`);
      const change = z.looseObject({ state: z.string(), done: z.number(), matching: z.number() }).parse(body);
      return change.state === 'done' ? change : null;
    });
    expect(done).toMatchObject({ dryRun: true, actor: 'admin', refused: 0, done: done.matching });
    expect(world.store.mutations).toHaveLength(writes);
    expect((await world.api('POST', `/api/v1/write-backs/bulk/${id}/cancel`)).status).toBe(409);
    expect((await world.api('GET', '/api/v1/write-backs/bulk')).body).toMatchObject({ total: 1 });
  });
});

describe('a saved plan', () => {
  it('is made in the background, lists its entries, and of all who apply it at once one does', async () => {
    const lamp = world.store.products.create({ title: 'Lamp 4', handle: 'lamp-4', vendor: 'Lux' });
    const made = await world.api('POST', '/api/v1/stores/main/plans', { full: true });
    const { id } = z.object({ id: z.string() }).parse(made.body);
    const plan = await until('the plan', async () => {
      const { body } = await world.api('GET', `/api/v1/plans/${id}`);
      const { state } = z.looseObject({ state: z.string() }).parse(body);
      return state === 'planning' ? null : state;
    });
    expect(plan).toBe('saved');
    expect((await world.api('GET', `/api/v1/plans/${id}/entries`)).body).toMatchObject({
      items: [{ kind: 'create', label: 'Lamp 4' }],
      total: 1,
    });
    const answers = await Promise.all([1, 2, 3].map(() => world.api('POST', `/api/v1/plans/${id}/apply`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    const applied = answers.find(({ status }) => status === 202);
    expect(applied?.body).toMatchObject({ entries: 1, refused: 0 });
    const run = await world.endOf(z.object({ id: z.string() }).parse(applied?.body).id);
    expect(run).toMatchObject({ status: 'succeeded', counts: { seen: 1, created: 1, failed: 0 } });
    await world.settled();
    // Its name is generated by now; its external_id is not.
    const externalIds = (await world.catalogProducts()).map((product) => product.external_id);
    expect(
      externalIds.filter((externalId) => externalId === `shopify:${world.store.shop}:${String(lamp.id)}`),
    ).toHaveLength(1);
  });
});

describe('the description', () => {
  it('is served to anyone and names every route of the API', async () => {
    const answer = await fetch(`${world.url}/docs-json`);
    const { paths } = z.looseObject({ paths: z.record(z.string(), z.unknown()) }).parse(await answer.json());
    for (const path of [
      '/products/{externalId}',
      '/deliveries/{id}/replay',
      '/write-backs/{id}/approve',
      '/stores/{key}/drift',
    ])
      expect(paths).toHaveProperty([`/api/v1${path}`]);
  });

  it('is shown on a page that loads nothing from elsewhere and runs no script of its own text', async () => {
    const page = await fetch(`${world.url}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
    const links = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toHaveLength(4);
    for (const link of links) expect((await fetch(new URL(link, `${world.url}/docs`))).status).toBe(200);
  });
});
