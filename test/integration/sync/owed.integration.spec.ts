import { beforeEach, describe, expect, it } from '@jest/globals';
import { refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, snapshot, withSku } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.exports = false;
});

const ours = (id: number): string => snapshot(id).externalId;
const LONG_AGO = new Date(0);
const owed = async () =>
  (await stages.owed.page(STORE, '', 100)).map(({ externalId, code }) => ({ externalId, code }));
const incremental = () => stages.sync({ full: false });

async function event(productId: number): Promise<void> {
  await stages.db.affected(
    `INSERT INTO announced_product (external_id, store, store_id, announced_at) VALUES ($1, $2, $3, now())`,
    [ours(productId), STORE, `gid://shopify/Product/${String(productId)}`],
  );
}

describe('a product that the catalog refuses', () => {
  it('is tried again by every following run, incremental ones too, and counts as failed until it is in', async () => {
    stages.store.put(snapshot(1), snapshot(2));
    stages.catalog.script.before('upsertProduct', refusal('invalid', { fields: { name: ['Too long.'] } }));
    const first = await stages.sync();
    expect(first).toMatchObject({ state: 'partial', counts: { seen: 2, created: 1, failed: 1, owed: 1 } });
    expect(first.error).toContain('name: Too long.');
    const [row] = await stages.owed.page(STORE, '', 10);
    expect(row).toMatchObject({ code: 'refused', detail: expect.stringContaining('name: Too long.') });

    stages.store.edit('1', { updatedAt: LONG_AGO });
    stages.store.edit('2', { updatedAt: LONG_AGO });
    stages.catalog.script.before('upsertProduct', refusal('invalid', { fields: { name: ['Too long.'] } }));
    expect(await incremental()).toMatchObject({
      kind: 'incremental',
      state: 'partial',
      counts: { seen: 1, failed: 1, owed: 1 },
    });
    expect((await stages.owedRow(row!.externalId))?.since).toEqual(row!.since);

    expect(await incremental()).toMatchObject({
      state: 'succeeded',
      counts: { seen: 1, created: 1, owed: 0 },
    });
    expect(await owed()).toEqual([]);
  });

  it('because of an identifier that somebody took meanwhile is created without it, and it is reported', async () => {
    stages.store.put(withSku(snapshot(1), 'SKU-TAKEN'));
    const taken = refusal('invalid', { fields: { sku: ['Already taken.'] } });
    stages.catalog.script.before('upsertProduct', () => {
      stages.catalog.hold({ external_id: 'elsewhere:1', sku: 'SKU-TAKEN' });
      taken();
    });
    stages.catalog.script.before('updateProduct', taken);
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1, conflicted: 1 } });
    expect((await stages.link(1)).withheld).toMatchObject([{ kind: 'sku', holder: { whose: 'refused' } }]);
  });

  it('because of an identifier that nobody has fails, with the field and the service’s words', async () => {
    stages.store.put(snapshot(1));
    stages.catalog.script.before('upsertProduct', refusal('invalid', { fields: { sku: ['Too long.'] } }));
    expect(await stages.sync()).toMatchObject({ state: 'partial', counts: { created: 0, failed: 1 } });
  });
});

describe('a configured tag id that the catalog refuses', () => {
  const configured = (tags: object): void => {
    stages.settings = { store: { mapping: { tags } }, workspace: {} };
  };
  const UNKNOWN = 99;
  const refuse = (): void => {
    const { script } = stages.catalog;
    const check = (): void => {
      const [body] = (script.calls.at(-1)?.args ?? []).slice(-1) as { tags_to_update?: number[] }[];
      if (body?.tags_to_update?.includes(UNKNOWN) !== true) return;
      refusal('invalid', { fields: { tags_to_update: ['Invalid pk "99" - object does not exist.'] } })();
    };
    script.before('updateProduct', check, 10);
  };

  it('keeps out only the products with that tag until it is corrected; the run, the product and its reason name the setting', async () => {
    stages.store.put(snapshot(1, { tags: ['sale'] }), snapshot(2));
    await stages.sync();
    configured({ sale: UNKNOWN });
    refuse();
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { updated: 0, unchanged: 1, failed: 1, owed: 1 } });
    for (const said of [run.error, (await stages.owedRow(ours(1)))?.detail]) {
      expect(said).toContain('tags_to_update: Invalid pk "99"');
      expect(said).toContain('check mapping.tags');
    }
    expect(await stages.link(1)).toMatchObject({ state: 'linked' });
    configured({ sale: 12 });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { updated: 1, owed: 0 } });
    expect(stages.catalog.of(ours(1))).toMatchObject({ tags_to_update: [12] });
  });
});

describe('a product that a write-back holds', () => {
  it('is owed, and read by the next run whatever the watermark says', async () => {
    stages.store.put(snapshot(1), snapshot(2));
    await stages.sync();
    stages.store.edit('1', { vendor: 'New', updatedAt: LONG_AGO });
    stages.store.edit('2', { updatedAt: LONG_AGO });
    await stages.links.takeForWriting(ours(1), 'lease');
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { seen: 2, unchanged: 2, failed: 0, owed: 1 } });
    expect(run.error).toBeNull();
    expect(run.notes).toEqual([
      'put off to the next run: 1: a write-back was changing it while the run read it',
    ]);
    expect(await owed()).toEqual([{ externalId: ours(1), code: 'being_written' }]);

    await stages.links.releaseFromWriting(ours(1), 'lease');
    expect(await incremental()).toMatchObject({
      state: 'succeeded',
      counts: { seen: 1, updated: 1, owed: 0 },
    });
    expect(stages.catalog.of(ours(1))?.brand).toBe('New');
  });
});

describe('a product that the catalog still creates when its run ends', () => {
  beforeEach(async () => {
    stages.catalog.background = { polls: 1000 };
    stages.store.put(modelSnapshot(1, { updatedAt: LONG_AGO }));
    expect(await stages.sync()).toMatchObject({ state: 'partial', counts: { created: 1, owed: 1 } });
    expect(await owed()).toEqual([{ externalId: ours(1), code: 'being_created' }]);
  });
  const follow = () =>
    stages.creations.follow(stages.connections.store(STORE), 1000, new AbortController().signal);
  const newest = async () => (await stages.runs.latest(STORE, 1))[0];

  it('turns its run to succeeded once it is in', async () => {
    stages.catalog.finishCreation('task-1');
    await follow();
    expect(await newest()).toMatchObject({ state: 'succeeded', counts: { created: 1, failed: 0, owed: 0 } });
    expect(await owed()).toEqual([]);
  });

  it('is owed to following runs until it is in, and once more where one of them read a change of it', async () => {
    expect(await incremental()).toMatchObject({ state: 'partial', counts: { unchanged: 1, owed: 1 } });
    expect(await owed()).toEqual([{ externalId: ours(1), code: 'being_created' }]);
    stages.store.edit('1', { vendor: 'New' });
    expect(await incremental()).toMatchObject({ state: 'partial', counts: { unchanged: 1, owed: 1 } });
    stages.catalog.finishCreation('task-1');
    await follow();
    expect(await incremental()).toMatchObject({ state: 'succeeded', counts: { updated: 1, owed: 0 } });
    expect(stages.catalog.of(ours(1))?.brand).toBe('New');
  });

  it('reopens the count of its run when it fails, and the next incremental run creates it again', async () => {
    stages.catalog.creations.delete('task-1');
    stages.catalog.settleTask('task-1', 'failed', 'variants: too many');
    await follow();
    expect(await newest()).toMatchObject({ state: 'partial', counts: { created: 0, failed: 1, owed: 1 } });
    expect(await owed()).toEqual([{ externalId: ours(1), code: 'creation_failed' }]);
    stages.catalog.background = null;
    expect(await incremental()).toMatchObject({ state: 'succeeded', counts: { created: 1, owed: 0 } });
  });

  it('is created again when the catalog says that it was created and does not have it', async () => {
    stages.catalog.creations.delete('task-1');
    stages.catalog.settleTask('task-1', 'succeeded');
    stages.catalog.script.before('upsertProduct', refusal('transient'));
    stages.clock.advance(11 * 60_000);
    await follow();
    expect(await owed()).toEqual([{ externalId: ours(1), code: 'creation_failed' }]);
    expect(await stages.links.storesWithAbandonedCreations()).toEqual([]);
    stages.catalog.background = null;
    expect(await incremental()).toMatchObject({ state: 'succeeded', counts: { created: 1, owed: 0 } });
  });

  it('is not followed without end when the catalog never reports its outcome', async () => {
    stages.clock.advance(24 * 3_600_000 + 1);
    await follow();
    expect(await stages.links.storesWithAbandonedCreations()).toEqual([]);
    expect(await owed()).toEqual([{ externalId: ours(1), code: 'creation_failed' }]);
  });
});

describe('events', () => {
  it('that came before a failed run began are read by the next one', async () => {
    stages.store.put(snapshot(1, { updatedAt: LONG_AGO }));
    await stages.sync();
    stages.store.edit('1', { vendor: 'New', updatedAt: LONG_AGO });
    stages.store.put({ ...stages.store.at('1'), storeId: 'gid://shopify/Product/1' });
    await event(1);
    stages.store.script.before('readProducts', refusal('transient'));
    expect(await incremental()).toMatchObject({ state: 'failed', counts: { owed: 1 } });
    expect(await owed()).toEqual([{ externalId: ours(1), code: 'changed' }]);
    expect(await incremental()).toMatchObject({ state: 'succeeded', counts: { updated: 1, owed: 0 } });
  });

  it('are read in pages', async () => {
    await stages.sync();
    await stages.db.affected(
      `INSERT INTO announced_product (external_id, store, store_id, announced_at)
       SELECT 'shopify:shop:' || n, $1, 'gid://shopify/Product/' || n, now() FROM generate_series(1, 600) AS n`,
      [STORE],
    );
    expect(await incremental()).toMatchObject({ state: 'succeeded', counts: { seen: 0, owed: 0 } });
    const asked = stages.store.script.calls
      .filter((call) => call.operation === 'readProducts')
      .map(({ args: [ids] }) => (Array.isArray(ids) ? ids.length : 0));
    expect(asked.reduce((sum, count) => sum + count, 0)).toBe(600);
    expect(Math.max(...asked)).toBeLessThanOrEqual(50);
  });
});

it('a product that an event names and the filter leaves out is not sent', async () => {
  stages.settings = { store: { filter: { query: 'tag:x' } }, workspace: {} };
  stages.store.query = 'tag:x';
  stages.store.selects = (product) => product.storeId !== snapshot(2).storeId;
  stages.store.put(snapshot(1), snapshot(2), snapshot(3));
  await stages.sync();
  await stages.owed.note(
    STORE,
    [2, 3].map((id) => ({
      externalId: ours(id),
      storeId: String(id),
      label: '',
      code: 'changed',
      detail: null,
    })),
  );
  expect(await incremental()).toMatchObject({ state: 'succeeded', counts: { created: 0, owed: 0 } });
  expect(await owed()).toEqual([]);
});
