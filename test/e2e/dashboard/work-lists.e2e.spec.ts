import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { single } from '../../support/e2e-products.js';
import { until, type World } from '../../support/e2e-world.js';
import { openDashboard, Visitor, type Answer } from './dashboard-world.js';
import { seedWriteBacks } from './seed.js';

const HOSTILE = `<img src=x onerror="canary()"><script>canary()</script>`;

let world: World;
let visitor: Visitor;
/** The lists while they are empty. */
let noPlans: Answer;
let noBulkChanges: Answer;

/** Write-backs are seeded in `main`, and plans are made of `planned`: to a plan, seeded products would be gone from the shop. */
beforeAll(async () => {
  const review = { writeBack: { mode: 'review' } };
  world = await openDashboard({
    stores: ['main', 'planned'],
    settings: { stores: { main: review, planned: review } },
  });
  visitor = new Visitor(world.url);
  expect((await visitor.signIn(world.adminToken)).status).toBe(303);
  noPlans = await visitor.get('/plans');
  noBulkChanges = await visitor.get('/bulk');
});
afterAll(() => world.end());

const withoutMarkup = (text: string): string => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

async function seedOne(number: number, label: string, fields: Record<string, unknown> = {}): Promise<string> {
  await seedWriteBacks(world, [{ number, label, title: label, description: '<p>Text</p>' }]);
  const externalId = `shopify:${world.store.shop}:${number}`;
  const { state = 'pending_review', unmapped = 0 } = fields;
  await world.rows(
    `UPDATE write_back SET state = $2, unmapped_count = $3,
       fields = '[{"target":"title","outcome":"written","reason":"generated","before":"Old","type":null,"after":"New"}]'
     WHERE external_id = $1`,
    [externalId, state, unmapped],
  );
  return externalId;
}

/** Saves a plan after a new product has come into the shop; the path of its page. */
async function planOf(title: string): Promise<string> {
  single(world.storeOf('planned'), title.replaceAll(/\W+/g, '-'), { title });
  const answer = await visitor.submit('/stores/planned', '/stores/planned/plan', [['kind', 'full']]);
  const path = answer.headers.get('location') ?? '';
  await until('the plan', async () =>
    (await visitor.get(path)).text.includes('data-under-way') ? null : true,
  );
  return path;
}

describe('the list of saved plans', () => {
  it('says where plans come from while there are none', async () => {
    expect(noPlans.text).toContain('No plans yet.');
    expect((await visitor.get('/runs')).text).toContain('href="/plans"');
  });

  it('leads to each plan, filtered by state, store and text, with the run that applied it', async () => {
    const path = await planOf(`A table ${HOSTILE}`);
    const { text } = await visitor.get('/plans?state=saved&store=planned');
    expect(text).toContain(`href="${path}"`);
    expect(withoutMarkup(text)).toContain('planned: full saved');
    for (const other of ['/plans?state=applied', '/plans?search=nothing', '/plans?from=2999-01-01'])
      expect((await visitor.get(other)).text).toContain('No plans match this filter.');
    expect((await visitor.get(`/plans?search=${path.slice('/plans/'.length)}`)).text).toContain(path);

    const applied = await visitor.submit(path, `${path}/apply`, []);
    const run = applied.headers.get('location') ?? '';
    await world.endOf(run.slice('/runs/'.length));
    expect((await visitor.get('/plans?state=applied')).text).toContain(`href="${run}"`);
    expect((await visitor.get('/stores/planned')).text).toContain('href="/plans?store=planned"');
  });

  it('has entries by kind and by text on the page of a plan, and markup nowhere', async () => {
    const path = await planOf(`A lamp ${HOSTILE}`);
    const all = await visitor.get(path);
    expect(withoutMarkup(all.text)).toContain('all 1 to create 1 to adopt 0 to update 0 gone 0');
    expect(all.text).toContain(`href="${path}?kind=create"`);
    expect(all.text).not.toMatch(/<script>|<img[^>]*src=x/);
    expect((await visitor.get(`${path}?kind=create&search=lamp`)).text).toContain('A lamp');
    expect((await visitor.get(`${path}?kind=update`)).text).toContain('No entries match this filter.');
    const { body } = await world.api('GET', `/api/v1${path}/entries?kind=create&search=lamp`);
    expect(body).toMatchObject({ total: 1 });
    const none = await world.api('GET', `/api/v1${path}/entries?kind=orphan`);
    expect(none.body).toMatchObject({ total: 0, items: [] });
  });
});

describe('the list of bulk changes', () => {
  it('says where they come from while there are none', async () => {
    expect(noBulkChanges.text).toContain('No bulk changes yet.');
    expect((await visitor.get('/journal')).text).toContain('href="/bulk"');
  });

  it('leads to each, with its filter and its counts, and reports name products by their titles', async () => {
    const externalId = await seedOne(920_001, `A clay mug ${HOSTILE}`, { state: 'applied' });
    await seedOne(920_002, ' ', { state: 'applied' });
    const { body } = await world.api('POST', '/api/v1/write-backs/bulk', {
      ...{ action: 'revert', filter: { store: 'main', search: 'shopify' }, dryRun: true },
    });
    const { id } = body as { id: string };
    await until('the end of the dry run', async () => {
      const { body: change } = await world.api('GET', `/api/v1/write-backs/bulk/${id}`);
      return (change as { state: string }).state === 'done' ? true : null;
    });
    const { text } = await visitor.get('/bulk?state=done&store=main');
    expect(text).toContain(`href="/bulk/${id}"`);
    expect(withoutMarkup(text)).toContain('Dry run of a revert store main, search shopify');
    for (const other of ['/bulk?state=cancelled', '/bulk?search=nobody', '/bulk?store=other'])
      expect((await visitor.get(other)).text).toContain('No bulk changes match this filter.');

    const report = await visitor.get(`/bulk/${id}`);
    expect(withoutMarkup(report.text)).toContain('A clay mug &lt;img');
    expect(report.text).not.toMatch(/<script>|<img[^>]*src=x/);
    expect(report.text).toContain('href="/bulk"');
    const shown = await world.api('GET', `/api/v1/write-backs/bulk/${id}`);
    const { items } = shown.body as { items: { externalId: string; label: string }[] };
    expect(items.map((item) => [item.externalId, item.label]).sort()).toEqual([
      [externalId, `A clay mug ${HOSTILE}`],
      [`shopify:${world.store.shop}:920002`, `shopify:${world.store.shop}:920002`],
    ]);
    const listed = await world.api('GET', '/api/v1/write-backs/bulk');
    expect(listed.body).toMatchObject({ items: [{ id, items: [{ label: items[0]?.label }, {}] }] });
  });
});

describe('the number of generated values that no setting maps', () => {
  it('leads from the store to exactly the write-backs that have one', async () => {
    await seedOne(920_011, 'Has a value too many', { unmapped: 2 });
    await seedOne(920_012, 'Has none');
    const link = 'href="/journal?store=main&amp;fate=not_mapped"';
    expect((await visitor.get('/stores/main')).text).toContain(link);
    const { text } = await visitor.get('/journal?store=main&fate=not_mapped');
    expect(text).toContain('Has a value too many');
    expect(text).not.toContain('Has none');
    const { body } = await world.api('GET', '/api/v1/write-backs?fate=not_mapped&search=920011');
    expect(body).toMatchObject({ total: 1 });
    const bulk = await visitor.get('/bulk/new?action=reject&state=pending_review&fate=not_mapped&search=920');
    expect(withoutMarkup(bulk.text)).toContain('1 text matches this filter');
  });
});
