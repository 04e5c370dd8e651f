import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { single } from '../../support/e2e-products.js';
import { until, type World } from '../../support/e2e-world.js';
import { openDashboard, Visitor, type Answer } from './dashboard-world.js';

const HOSTILE = `<img src=x onerror="canary()"><script>canary()</script>`;
const TOKENS = { viewer: 'viewer-of-the-tests-0123', reviewer: 'reviewer-of-the-tests-0123' } as const;
const IMAGE = 'https://cdn.shopify.com/s/files/1/lamp.jpg?v=1';

let world: World;
let visitor: Visitor;
let lamp: string;

async function signedIn(token: string): Promise<Visitor> {
  const one = new Visitor(world.url);
  expect((await one.signIn(token)).status).toBe(303);
  return one;
}

beforeAll(async () => {
  const tokens = Object.entries(TOKENS).map(([role, token]) => [role, { token, role }]);
  world = await openDashboard({
    settings: {
      server: { tokens: Object.fromEntries(tokens) },
      stores: { main: { writeBack: { mode: 'review' } } },
    },
  });
  visitor = await signedIn(world.adminToken);
  const { store } = world;
  const product = single(store, 'lamp', { title: 'A lamp', images: [{ url: IMAGE, alt: 'lamp' }] });
  lamp = `shopify:${store.shop}:${product.id}`;
  for (const name of ['hostile', 'hostile-too'])
    single(store, name, { title: HOSTILE, descriptionHtml: `<p>${HOSTILE}</p>` });
  await world.runToEnd();
});
afterAll(() => world.end());

const productPath = (externalId: string): string => `/products/${encodeURIComponent(externalId)}`;
const withoutMarkup = (text: string): string => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

/** Submits a form and waits until the page that it leads to has no work under way. */
async function finished(
  from: string,
  path: string,
  fields: [string, string][] = [],
): Promise<Answer & { path: string }> {
  const answer = await visitor.submit(from, path, fields);
  expect(answer.status).toBe(303);
  const to = answer.headers.get('location') ?? '';
  return until(`the end of ${path}`, async () => {
    const page = await visitor.get(to);
    return page.text.includes('data-under-way') ? null : { ...page, path: to };
  });
}

function expectNoMarkup({ text }: Answer): void {
  expect(text).toContain('canary()');
  expect(text).not.toMatch(/<script>|<img[^>]*src=x/);
}

describe('a plan', () => {
  it('shows what a sync would do and cost and changes nothing; applied, it becomes a run', async () => {
    const known = world.store.products.list().length;
    single(world.store, 'chair', { title: `Chair ${HOSTILE}` });
    const before = (await world.catalogProducts()).length;
    const plan = await finished('/stores/main', '/stores/main/plan', [['kind', 'full']]);
    expect(plan.path).toMatch(/^\/plans\/[0-9a-f-]{36}$/);
    const text = withoutMarkup(plan.text);
    expect(text).toContain(
      `${String(known + 1)} seen 1 to create 0 to update 0 gone ${String(known)} unchanged`,
    );
    expect(text).toContain('Content requested for');
    expect(text).toContain('new in the store');
    expectNoMarkup(plan);
    expect((await world.catalogProducts()).length).toBe(before);

    const answer = await visitor.submit(plan.path, `${plan.path}/apply`, []);
    const run = answer.headers.get('location') ?? '';
    expect(run).toMatch(/^\/runs\//);
    await world.endOf(run.slice('/runs/'.length));
    expect((await world.catalogProducts()).length).toBe(before + 1);
    const applied = await visitor.get(plan.path);
    expect(applied.text).toContain(`href="${run}"`);
    expect(applied.text).not.toContain('/apply"');
  });

  it('of one product says that the product is in step', async () => {
    const plan = await finished(productPath(lamp), '/stores/main/plan', [['product', lamp]]);
    expect(plan.path).toContain(`?product=${encodeURIComponent(lamp)}`);
    expect(plan.text).toContain('The plan has nothing for this product: it is in step.');
  });
});

describe('a look for drift', () => {
  it('says that the shop has what was written, or how many products differ', async () => {
    const { path, text } = await finished('/stores/main', '/stores/main/drift');
    expect(path).toMatch(/^\/reports\//);
    expect(text).toContain('Drift: main');
    expect(withoutMarkup(text)).toMatch(/0 of \d+ products differ\. The shop has what was written\./);
  });
});

describe('generation', () => {
  it('of all that is missing asks first with its number, and requests content after a yes', async () => {
    const open = () => world.rows(`SELECT 1 FROM generation_task WHERE state <> 'failed'`);
    await world.settled();
    await world.rows(`UPDATE generation_task SET state = 'failed', reason = 'no sources'`);
    const count = world.store.products.list().length;
    const question = withoutMarkup((await visitor.get('/stores/main/generate')).text);
    expect(question).toContain('Generate what is missing in main?');
    expect(question).toContain('It may charge credits.');
    expect(question).toContain(`Content requested for ${String(count)} `);
    expect(await open()).toEqual([]);
    const report = await finished('/stores/main/generate', '/stores/main/generate');
    expect(withoutMarkup(report.text)).toContain(`Content was requested for ${String(count)} products.`);
    expect(await open()).toHaveLength(count);
    await world.settled();
  });

  it('of one product asks first, and says on its page that content was requested', async () => {
    const path = `${productPath(lamp)}/generate`;
    expect(withoutMarkup((await visitor.get(path)).text)).toContain('Generate for A lamp?');
    const answer = await visitor.submit(path, '/products/generate', [['id', lamp]]);
    expect(answer.headers.get('location')).toBe(productPath(lamp));
    expect((await visitor.get(productPath(lamp))).text).toContain('Generation was requested');
  });

  it('of several products asks first, with the cost of all', async () => {
    const rows = await world.rows<{ id: string }>('SELECT external_id AS id FROM store_product LIMIT 2');
    const ids = rows.map(({ id }) => `id=${encodeURIComponent(id)}`).join('&');
    const { text } = await visitor.get(`/products/generate?${ids}`);
    expect(withoutMarkup(text)).toContain('Generate for 2 products?');
    expect(withoutMarkup(text)).toContain('Content requested for 2');
    const none = await visitor.get('/products/generate');
    expect(none.headers.get('location')).toBe('/products');
  });
});

describe('the page of a product', () => {
  it('has its image, its present text and the link to its shop', async () => {
    const { text } = await visitor.get(productPath(lamp));
    expect(text).toMatch(/<img\s+class="thumb"\s+src="https:\/\/cdn\.shopify\.com\/s\/files\/1\/lamp\.jpg/);
    expect(text).toContain(`src="${productPath(lamp)}/preview"`);
    expect(text).toContain(`https://${world.store.shop}/admin/products/`);
    const preview = await visitor.get(`${productPath(lamp)}/preview`);
    expect(preview.text).toContain('What the merchant wrote about lamp.');
    expect(preview.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
  });

  it('reads the product in a run of its own by “sync now”', async () => {
    const answer = await visitor.submit(productPath(lamp), `${productPath(lamp)}/sync`, []);
    const run = answer.headers.get('location') ?? '';
    expect(run).toMatch(/^\/runs\//);
    const { counts } = await world.endOf(run.slice('/runs/'.length));
    expect(counts.seen).toBeGreaterThan(0);
  });

  it.each(['', '/preview', '/generate'])('never has the markup of a product’s texts (%s)', async (part) => {
    const [row] = await world.rows<{ id: string }>(
      `SELECT external_id AS id FROM store_product WHERE label = $1`,
      [HOSTILE],
    );
    const { status, text } = await visitor.get(`${productPath(row?.id ?? '')}${part}`);
    expect([status, text]).toEqual([200, expect.not.stringMatching(/<script>|<img[^>]*src=x/)]);
  });
});

describe('the search of the header', () => {
  it('finds products by title, SKU and handle, and shows no markup of theirs', async () => {
    for (const text of ['lamp', 'SKU-lamp'])
      expect((await visitor.get(`/search?q=${text}`)).headers.get('location')).toBe(productPath(lamp));
    expectNoMarkup(await visitor.get('/search?q=canary'));
    expectNoMarkup(await visitor.get(`/search?q=${encodeURIComponent(HOSTILE)}x`));
  });

  it('leads to a run by its id, and says what it searches when nothing is given', async () => {
    const [run] = await world.rows<{ id: string }>('SELECT id FROM sync_run WHERE plan IS NULL LIMIT 1');
    const answer = await visitor.get(`/search?q=${run?.id ?? ''}`);
    expect(answer.headers.get('location')).toBe(`/runs/${run?.id ?? ''}`);
    expect((await visitor.get('/search')).status).toBe(200);
  });
});

describe('the settings', () => {
  it('have each value with its origin, and no secret', async () => {
    const { text } = await visitor.get('/settings?search=stores.main');
    expect(text).toContain('<code>stores.main.writeBack.mode</code>');
    expect(text).toContain('store-sync.yaml');
    const all = (await visitor.get('/settings?all=1')).text;
    for (const secret of [world.adminToken, world.webhookSecret, ...Object.values(TOKENS)])
      expect(all).not.toContain(secret);
    expect((await visitor.get('/settings?search=nothing-of-that-name')).text).toContain('No settings match');
  });
});

describe('a page with the navigation of all', () => {
  it.each([
    '/no/such/page',
    '/stores/none',
    '/plans/none',
    '/reports/none',
    '/products/none',
    '/runs/none',
    '/deliveries/none',
    '/write-backs/none',
    '/search/none',
  ])('is the answer for the unknown address %s', async (path) => {
    const { status, text } = await visitor.get(path, { accept: 'text/html' });
    expect(status).toBe(404);
    expect(text).toMatch(/<nav[^>]*aria-label="Main"/);
  });

  it('is not shown to a visitor who is not signed in, and a program gets JSON', async () => {
    const stranger = new Visitor(world.url);
    const answer = await stranger.get('/no/such/page', { accept: 'text/html' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/login?next=%2Fno%2Fsuch%2Fpage']);
    const long = await stranger.get(`/no/such/page?${'%0A'.repeat(3000)}`, { accept: 'text/html' });
    expect([long.status, long.headers.get('location')]).toEqual([303, '/login']);
    const { headers } = await visitor.get('/api/v1/no-such-thing', { accept: 'text/html' });
    expect(headers.get('content-type')).toContain('json');
  });
});

describe('a run that a limit stopped', () => {
  it('goes on without the limits from its page, and the audit record says so', async () => {
    const { store } = world;
    const leaving = ['leaving', 'leaving-too'].map((name) => single(store, name));
    await world.runToEnd();
    for (const { id } of leaving) store.products.delete(id);
    const stopped = await world.runToEnd({ full: true });
    expect(stopped).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('limits.maxOrphanedShare'),
    });
    const page = await visitor.get(`/runs/${stopped.id}`);
    expect(page.text).toContain('Run without the limits');

    const forced = await visitor.submit(`/runs/${stopped.id}`, '/stores/main/sync', [
      ['kind', 'full'],
      ['force', 'true'],
    ]);
    const id = (forced.headers.get('location') ?? '').slice('/runs/'.length);
    expect(await world.endOf(id)).toMatchObject({ counts: { orphaned: 2 } });
    expect((await visitor.get(`/runs/${id}`)).text).not.toContain('Run without the limits');
    const [entry] = await world.rows<{ details: unknown }>(
      `SELECT details FROM audit_entry WHERE what = 'sync' ORDER BY at DESC LIMIT 1`,
    );
    expect(entry?.details).toEqual({ kind: ['full'], force: ['true'] });
  });
});

// Which role each form needs stands in routes-roles.spec.ts.
describe('access', () => {
  it.each([
    ['/stores/main/sync', ['viewer', 'reviewer']],
    ['/write-backs/none/decide', ['viewer']],
  ] as const)('to the form %s needs a session, a page of this host and the role', async (path, refused) => {
    expect((await visitor.post(path, [])).status).toBe(403);
    const stranger = await new Visitor(world.url).post(path, []);
    expect(stranger.headers.get('location')).toBe('/login');
    for (const role of refused) {
      const one = await roles()[role];
      expect((await one.submit('/', path, [])).status).toBe(403);
    }
  });

  it('to a form of a reviewer is not refused to one', async () => {
    const one = await roles().reviewer;
    expect((await one.submit('/', '/bulk/none/cancel', [])).status).toBe(404);
  });

  it('to read needs a session, of whatever role', async () => {
    expect((await new Visitor(world.url).get('/audit')).status).toBe(303);
    expect((await (await roles().viewer).get('/audit')).status).toBe(200);
  });

  it('to the settings is the admin’s alone', async () => {
    for (const role of ['viewer', 'reviewer'] as const) {
      const one = await roles()[role];
      const refused = await one.get('/settings');
      expect([refused.status, refused.text.includes('href="/review"')]).toEqual([403, true]);
      expect((await one.get('/')).text).not.toContain('href="/settings"');
    }
    expect((await visitor.get('/runs')).text).toContain('href="/settings"');
  });

  let known: Record<keyof typeof TOKENS, Promise<Visitor>> | undefined;
  /** One sign-in for each role: sign-ins are limited. */
  function roles(): Record<keyof typeof TOKENS, Promise<Visitor>> {
    known ??= { viewer: signedIn(TOKENS.viewer), reviewer: signedIn(TOKENS.reviewer) };
    return known;
  }
});
