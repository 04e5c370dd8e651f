import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inState, openDashboard, Visitor, waiting, type Waiting } from './dashboard-world.js';
import type { World } from '../../support/e2e-world.js';
import { seedWriteBacks } from './seed.js';

let world: World;
let visitor: Visitor;

beforeAll(async () => {
  world = await openDashboard({
    settings: {
      stores: {
        main: {
          writeBack: { mode: 'review', sections: { namespace: 'catalog' } },
          // A test deletes one of the few products that there are.
          limits: { maxOrphanedShare: 1 },
        },
      },
    },
  });
  visitor = new Visitor(world.url);
  await visitor.signIn(world.adminToken);
});
afterAll(() => world.end());

async function one(name: string): Promise<Waiting> {
  const [row] = await waiting(world, name);
  return row!;
}

describe('the review of a write-back', () => {
  it('shows what the store holds now beside what was generated, word by word', async () => {
    const { path, live } = await one('compared');
    const { text } = await visitor.get(path);
    expect(text).toContain('Current store value');
    expect(text).toMatch(/<ins>[^<]+<\/ins>/);
    expect(text).toContain('What the merchant wrote about');
    expect(live().descriptionHtml).toContain('What the merchant wrote');
  });

  it('writes the accepted fields and no other, and says who declined the others', async () => {
    const { id, path, live } = await one('in-part');
    const before = { ...live() };
    const answer = await visitor.submit(path, `${path}/decide`, [
      ['decision', 'approve'],
      ['field', 'title'],
    ]);
    expect(answer.status).toBe(303);
    await inState(world, id, 'applied');
    expect(live().title).not.toBe(before.title);
    expect(live().descriptionHtml).toBe(before.descriptionHtml);
    const { text } = await visitor.get(path);
    expect(text).toContain('approved without Description');
    expect(text).toContain('Declined by admin');
    const { body } = await world.api('GET', `/api/v1${path}`);
    const declined = expect.objectContaining({ target: 'descriptionHtml', by: 'admin' });
    expect(body).toMatchObject({ declined: expect.arrayContaining([declined]) });

    await visitor.submit(path, `${path}/revert`, []);
    await inState(world, id, 'reverted');
    expect(live().title).toBe(before.title);
    expect((await visitor.get(path)).text).toMatch(/1 fields? put back/);
  });

  it('approves nothing when no field is accepted', async () => {
    const { id, path } = await one('in-no-part');
    for (const fields of [[], [['field', 'vendor']]] as const) {
      await visitor.submit(path, `${path}/decide`, [['decision', 'approve'], ...fields]);
      expect((await visitor.get(path)).text).toContain('accept at least one field');
    }
    await inState(world, id, 'pending_review');
  });

  it('does not propose to go over what the merchant edited meanwhile', async () => {
    const { path, product } = await one('edited');
    const box = /<input[^>]*name="field"[^>]*value="title"[^>]*>/;
    expect(box.exec((await visitor.get(path)).text)?.[0]).toContain('checked');
    world.store.products.merchantEdit(product, { title: 'The merchant’s own' });
    const { text } = await visitor.get(path);
    expect(box.exec(text)?.[0]).not.toContain('checked');
    expect(text).toContain('the merchant edited it after it was read');
    expect(text).toMatch(/<del>The merchant’s own<\/del>/);
  });

  it('says so when the store cannot be read', async () => {
    await seedWriteBacks(world, [
      { number: 990_001, label: 'Gone', title: 'Gone anew', description: '<p>Anew</p>' },
    ]);
    const [row] = await world.rows<{ id: string }>(
      `SELECT id FROM write_back WHERE external_id LIKE '%:990001'`,
    );
    const { status, text } = await visitor.get(`/write-backs/${row?.id ?? ''}`);
    expect(status).toBe(200);
    expect(text).toContain('the product was deleted in the store');
    expect(text).toContain('Gone anew');
  });
});

describe('the review list', () => {
  it('decides on many at once, and names those it could not decide on', async () => {
    const first = await one('many-1');
    const second = await one('many-2');
    const chosen = [
      ['id', first.id],
      ['id', second.id],
    ] as const;
    await visitor.submit('/review', '/review', [['decision', 'reject'], ...chosen]);
    await inState(world, first.id, 'rejected');
    await inState(world, second.id, 'rejected');
    expect((await visitor.get('/review')).text).toContain('2 done');
    await visitor.submit('/review', '/review', [['decision', 'approve'], ...chosen]);
    expect((await visitor.get('/review')).text).toContain('2 refused');
  });

  it('is filtered and paged, and deciding leads on to the next of the same filter', async () => {
    await seedWriteBacks(
      world,
      Array.from({ length: 120 }, (_unused, index) => ({
        number: 910_000 + index,
        label: `Paged ${index}`,
        title: `Anew ${index}`,
        description: `<p>${index}</p>`,
      })),
    );
    const page = await visitor.get('/review?offset=50&search=Paged');
    expect(page.text.match(/data-row/g)).toHaveLength(50);
    expect(page.text).toContain('51–100 of 120');
    const path = /href="(\/write-backs\/[^"]+)"/.exec(page.text)![1]!.replaceAll('&amp;', '&');
    expect(path).toContain('at=50&search=Paged');
    const opened = (await visitor.get(path)).text;
    const action = /action="(\/write-backs\/[^"]+\/decide[^"]*)"/.exec(opened)![1]!.replaceAll('&amp;', '&');
    const answer = await visitor.submit(path, action, [['decision', 'reject']]);
    const next = answer.headers.get('location') ?? '';
    expect(next).toMatch(/^\/write-backs\/.*at=50&search=Paged$/);
    expect(next).not.toBe(path);
    expect((await visitor.get(next)).text).toMatch(/<h1>Paged \d+<\/h1>/);
  });

  it.each(['offset=-1', 'offset=x', 'offset=1&offset=2', 'unknown=1'])(
    'takes an odd query as none: %s',
    async (query) => {
      expect((await visitor.get(`/review?${query}`)).status).toBe(200);
      expect((await visitor.get(`/journal?${query}`)).status).toBe(200);
    },
  );
});

describe('text from outside', () => {
  const CANARY = `<img src=x onerror="canary()"><script>canary()</script>`;

  it('never becomes markup of a page', async () => {
    await seedWriteBacks(world, [
      { number: 900_001, label: CANARY, title: CANARY, description: CANARY, reason: CANARY },
      { number: 900_002, label: CANARY, title: CANARY, description: CANARY, reason: CANARY, state: 'failed' },
    ]);
    await world.rows(`UPDATE write_back SET fields = $1 WHERE external_id LIKE '%:900002'`, [
      JSON.stringify([
        { target: 'title', outcome: 'written', reason: CANARY, before: CANARY, type: null, after: CANARY },
      ]),
    ]);
    await world.rows(
      `INSERT INTO webhook_delivery (workspace, dedupe_key, via, state, headers, raw_body, action, external_id, note)
       VALUES ('default', 'canary', 'webhook', 'parked', $1, $2, $3, $4, $3)`,
      [
        JSON.stringify({ [CANARY]: CANARY }),
        Buffer.from(CANARY),
        CANARY,
        `shopify:${world.store.shop}:900001`,
      ],
    );
    await world.rows(
      `WITH run AS (INSERT INTO sync_run (store, workspace, kind, trigger, state, error, notes)
         VALUES ('main', 'default', 'full', $1, 'failed', $1, jsonb_build_array($1::text)) RETURNING id)
       INSERT INTO sync_action (run_id, store, external_id, store_id, label, kind, reason, fields, body, state, error)
         SELECT id, 'main', 'shopify:x:1', '1', $1, 'update', $1, '["name"]', jsonb_build_object('name', $1::text), 'failed',
           jsonb_build_object('code', 'invalid', 'message', $1::text) FROM run`,
      [CANARY],
    );
    const ids = await world.rows<{ path: string }>(
      `SELECT '/write-backs/' || id AS path FROM write_back WHERE external_id LIKE '%:90000_'
       UNION ALL SELECT '/deliveries/' || id FROM webhook_delivery WHERE dedupe_key = 'canary'
       UNION ALL SELECT '/runs/' || id FROM sync_run WHERE error = $1`,
      [CANARY],
    );
    const product = encodeURIComponent(`shopify:${world.store.shop}:900001`);
    const lists = ['/', '/runs', '/products', '/deliveries', '/review', '/journal'];
    for (const path of [...lists, ...ids.map((row) => row.path), `/products/${product}`]) {
      const { status, text } = await visitor.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain('canary()');
      expect(text).not.toMatch(/<script>|<img/);
    }
    const asked = await visitor.get(`/search?q=${encodeURIComponent(CANARY)}`);
    expect(asked.text).not.toMatch(/<script>|<img/);
    const missing = await visitor.get(`/runs/${encodeURIComponent(CANARY)}`);
    expect([missing.status, missing.text]).toEqual([404, expect.not.stringMatching(/<script>|<img/)]);
  });

  it('is rendered where no script runs and nothing can be sent', async () => {
    await seedWriteBacks(world, [{ number: 900_011, label: 'Canary', title: 'Canary', description: CANARY }]);
    const [row] = await world.rows<{ id: string }>(
      `SELECT id FROM write_back WHERE external_id LIKE '%:900011'`,
    );
    const path = `/write-backs/${row?.id ?? ''}/preview/after?field=descriptionHtml`;
    const { status, headers, text } = await visitor.get(path);
    expect(status).toBe(200);
    expect(text).toContain('<span class="media">Image: x</span>');
    expect(text).not.toMatch(/canary|<script|<img/);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox; default-src 'none'; /);
    expect(policy).not.toMatch(/allow-|script-src|unsafe/);
    expect((await new Visitor(world.url).get(path)).status).toBe(303);
    expect((await visitor.get(`/write-backs/${row?.id ?? ''}/preview/after?field=title`)).status).toBe(404);
  });
});

describe('a product without a title', () => {
  it('is called by its external_id, so that its links can be seen and followed', async () => {
    await seedWriteBacks(world, [{ number: 900_021, label: ' ', title: 'A title', description: 'A text' }]);
    const externalId = `shopify:${world.store.shop}:900021`;
    const [row] = await world.rows<{ id: string }>('SELECT id FROM write_back WHERE external_id = $1', [
      externalId,
    ]);
    for (const path of [`/products/${encodeURIComponent(externalId)}`, `/write-backs/${row?.id ?? ''}`])
      expect((await visitor.get(path)).text).toContain(`<h1>${externalId}</h1>`);
  });
});

it.each([
  ['/review?state=nope', 'pending_review'],
  ['/journal?day=2026-13-45', 'no such day'],
  ['/products?state=nope', 'linked'],
  ['/runs?from=yesterday', 'no such day'],
])('the filter of %s is refused with what is valid', async (address, valid) => {
  const { status, text } = await visitor.get(address);
  expect(status).toBe(400);
  expect(text).toContain(valid);
});
