import { beforeEach, describe, expect, it } from '@jest/globals';
import { refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, snapshot, withSku } from '../../support/fake-store.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { sqlRows } from '../../support/sql.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());

const ours = (id: number): string => snapshot(id).externalId;
const UNKNOWN = { outcomeUnknown: true };

async function failuresOf(runId: string) {
  return (await stages.actions.failures(runId, 10)).map((action) => action.error);
}

/** A linked product that the merchant has edited. */
async function edited(): Promise<string> {
  stages.store.put(snapshot(1));
  await stages.sync();
  stages.store.edit('1', { vendor: 'Other', updatedAt: stages.clock.now() });
  stages.catalog.script.forget();
  return (await stages.link(1)).catalogId ?? '';
}

describe('an update', () => {
  it('of a catalog product that is gone creates it again, whole', async () => {
    const catalogId = await edited();
    stages.catalog.products.delete(Number(catalogId));
    const run = await stages.sync({ full: false });
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 1, updated: 0 } });
    expect(run.notes.join()).toContain('1 product created again');
    expect(stages.catalog.of(ours(1))).toMatchObject({ name: 'Product 1', brand: 'Other', sku: 'SKU-1' });
    const link = await stages.link(1);
    expect(link.catalogId).toBe(String(stages.catalog.of(ours(1))?.id));
    expect(link.catalogId).not.toBe(catalogId);
    // Nobody looked for its identifiers: the creation leaves them out, and they follow.
    const operations = ['getProduct', 'getProduct', 'upsertProduct', 'updateProduct', 'generate'];
    expect(stages.catalog.script.operations()).toEqual(operations);
  });

  it('that died between the 404 and the creation goes on as a creation', async () => {
    const catalogId = await edited();
    stages.catalog.products.delete(Number(catalogId));
    stages.catalog.script.after('upsertProduct', refusal('transient', UNKNOWN));
    expect(await stages.sync({ full: false })).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
    expect(stages.catalog.countOf(ours(1))).toBe(1);
  });
});

describe('a creation', () => {
  it('that meets 409 finds the product and links it', async () => {
    stages.store.put(withSku(snapshot(1), null));
    stages.catalog.script.before('upsertProduct', () => {
      stages.catalog.hold({ external_id: ours(1), name: 'Half made' });
      refusal('conflict', { status: 409 })();
    });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
    expect(stages.catalog.of(ours(1))).toMatchObject({ name: 'Product 1' });
    expect(await stages.link(1)).toMatchObject({ catalogId: String(stages.catalog.of(ours(1))?.id) });
  });

  it('that meets 409 and finds nothing fails, and says so', async () => {
    stages.store.put(snapshot(1));
    stages.catalog.script.before('upsertProduct', refusal('conflict', { status: 409 }));
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { failed: 1 } });
    expect(await failuresOf(run.id)).toMatchObject([{ code: 'conflict' }]);
  });

  it.each([
    ['by its identifier', snapshot(1)],
    ['by its name', withSku(snapshot(1), null)],
    ['by walking the newest', withSku(snapshot(1, { title: '' }), null)],
  ])('of unknown outcome is looked for %s before it is repeated', async (_way, product) => {
    stages.store.put(product);
    stages.catalog.script.after('upsertProduct', refusal('transient', UNKNOWN));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
    expect(stages.catalog.script.count('upsertProduct')).toBe(1);
    expect(stages.catalog.countOf(ours(1))).toBe(1);
    expect(await stages.link(1)).toMatchObject({ catalogId: String(stages.catalog.of(ours(1))?.id) });
  });

  it('of unknown outcome that was not heard is repeated', async () => {
    stages.store.put(snapshot(1));
    stages.catalog.script.before('upsertProduct', refusal('transient', UNKNOWN));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
    expect(stages.catalog.script.count('upsertProduct')).toBe(2);
  });
});

it('a creation of a resumed run changes no foreign product that got its identifier since the plan was made', async () => {
  stages.store.put(snapshot(1));
  stages.catalog.script.before('upsertProduct', refusal('auth', { status: 401 }));
  const run = await stages.sync();
  expect(run).toMatchObject({ state: 'failed', phase: 'apply' });
  const foreign = stages.catalog.hold({ external_id: 'erp:1', name: 'Foreign', sku: 'SKU-1' });
  await stages.pauses.catalog.works(WORKSPACE, 'reads');
  await stages.db.affected(`UPDATE sync_run SET state = 'queued' WHERE id = $1`, [run.id]);
  expect(await stages.work(run.id)).toMatchObject({
    state: 'succeeded',
    counts: { created: 1, conflicted: 1 },
  });
  expect(stages.catalog.products.get(foreign.id)).toEqual(foreign);
  expect((await stages.link(1)).withheld).toMatchObject([{ kind: 'sku', holder: { whose: 'refused' } }]);
});

describe('variants', () => {
  const links = { [`${ours(1)}:101`]: expect.any(String), [`${ours(1)}:102`]: expect.any(String) };

  it.each([
    ['the answer', true, 0],
    ['the path of their own', false, 1],
  ])('are linked from %s', async (_place, shown, requests) => {
    stages.catalog.listsVariants = shown;
    stages.store.put(modelSnapshot(1));
    await stages.sync();
    expect((await stages.link(1)).variantLinks).toEqual(links);
    expect(stages.catalog.script.count('iterateVariants')).toBe(requests);
  });

  it.each(['not_found', 'auth', 'misconfigured', 'invalid'] as const)(
    'whose path answers %s do not keep the product from being linked',
    async (code) => {
      stages.store.put(modelSnapshot(1));
      stages.catalog.script.before('iterateVariants', refusal(code));
      expect(await stages.sync()).toMatchObject({ state: 'succeeded' });
      expect(await stages.link(1)).toMatchObject({ state: 'linked', variantLinks: {} });
    },
  );

  it('are not asked for when nothing of them was sent', async () => {
    stages.store.put(modelSnapshot(1));
    await stages.sync();
    stages.store.edit('1', { vendor: 'Other' });
    stages.catalog.script.forget();
    await stages.sync();
    expect(stages.catalog.script.operations()).toEqual(['listProducts', 'getProduct', 'updateProduct']);
    expect((await stages.link(1)).variantLinks).toEqual(links);
  });
});

describe('an orphan', () => {
  it('gives its identifiers up in the catalog, and nothing else', async () => {
    stages.store.put(snapshot(1), snapshot(2));
    await stages.sync();
    stages.store.products.delete('1');
    stages.catalog.script.forget();
    await stages.sync();
    expect(stages.catalog.script.calls).toEqual([
      expect.objectContaining({ operation: 'listProducts' }),
      expect.objectContaining({ operation: 'getProduct' }),
      { operation: 'updateProduct', args: [expect.any(String), { sku: null }] },
    ]);
    expect(stages.catalog.of(ours(1))).toMatchObject({ name: 'Product 1', sku: null });
    expect(
      await sqlRows(stages.db, 'SELECT 1 AS one FROM product_identifier WHERE product = $1', [ours(1)]),
    ).toEqual([]);
    expect(await stages.link(1)).toMatchObject({ state: 'orphaned' });
    expect((await stages.link(1)).pushedFields).not.toHaveProperty('sku');
  });
});

describe('refused credentials', () => {
  beforeEach(() => {
    for (let id = 1; id <= 20; id += 1) stages.store.put(snapshot(id));
    stages.catalog.requestsAtOnce = 4;
  });

  it('end the run, pause the workspace, and are not tried on every product', async () => {
    stages.catalog.script.before('upsertProduct', refusal('auth', { status: 401 }), 20);
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'failed', errorCode: 'auth', counts: { failed: 20, created: 0 } });
    expect(stages.catalog.script.count('upsertProduct')).toBeLessThanOrEqual(4);
    const pause = await stages.pauses.catalog.forbids(WORKSPACE, 'reads');
    expect(pause?.remainingMs).toBeGreaterThan(25_000);
    expect(await stages.actionsOf(run.id)).toMatchObject(
      Array.from({ length: 20 }, () => ({ state: 'planned' })),
    );
  });

  it('leave the workspace alone until the pause is over, and then the run goes on', async () => {
    stages.catalog.script.before('upsertProduct', refusal('auth', { status: 401 }), 4);
    const run = await stages.sync();
    await stages.db.affected('UPDATE sync_run SET retry_at = now() WHERE id = $1', [run.id]);
    await stages.runs.requeueDue();
    stages.catalog.script.forget();
    expect(await stages.work(run.id)).toMatchObject({ state: 'failed', errorCode: 'throttled' });
    expect(stages.catalog.script.calls).toEqual([]);
    await stages.db.affected('UPDATE workspace_state SET paused_until = now()');
    await stages.db.affected('UPDATE sync_run SET retry_at = now() WHERE id = $1', [run.id]);
    await stages.runs.requeueDue();
    expect(await stages.work(run.id)).toMatchObject({ state: 'succeeded', counts: { created: 20 } });
    expect(await stages.state.workspace(WORKSPACE)).toMatchObject({ pausedReason: null, pauses: 0 });
  });
});

describe('a fault that passes', () => {
  it('is waited out within the run', async () => {
    stages.store.put(snapshot(1));
    stages.catalog.script.before('upsertProduct', refusal('transient'), 3);
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
    expect(stages.clock.slept).toEqual([375, 1_500, 6_000]);
  });

  it('is waited out as long as the service asks', async () => {
    stages.store.put(snapshot(1));
    stages.catalog.script.before('upsertProduct', refusal('throttled', { retryAfterMs: 45_000 }));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded' });
    expect(stages.clock.slept).toEqual([45_000]);
  });
});

describe('a catalog that is away', () => {
  /** Each request takes as long as a request may take. */
  function goesAway(): void {
    const timeOut = () => {
      stages.clock.advance(30_000);
      refusal('transient', UNKNOWN)();
    };
    stages.catalog.script.before('upsertProduct', timeOut, 1000);
    stages.catalog.script.before('iterateProducts', timeOut, 1000);
  }

  beforeEach(() => {
    for (let id = 1; id <= 40; id += 1) stages.store.put(snapshot(id));
    stages.catalog.requestsAtOnce = 1;
  });

  it('ends the run within five minutes, as failed when nothing was applied', async () => {
    stages.catalog.script.before('upsertProduct', () => {
      goesAway();
      refusal('transient')();
    });
    const startedAt = stages.clock.now().getTime();
    const run = await stages.sync();
    expect(run).toMatchObject({
      state: 'failed',
      errorCode: 'transient',
      counts: { created: 0, failed: 40 },
    });
    expect(run.error).toContain('next try at 20');
    expect(stages.clock.now().getTime() - startedAt).toBeLessThan(300_000);
    expect(await failuresOf(run.id)).toEqual([]);
  });

  it('in the middle ends the run as partial, and the next attempt sends the rest', async () => {
    stages.catalog.script.before('upsertProduct', () => undefined, 9);
    stages.catalog.script.before('upsertProduct', goesAway);
    const run = await stages.sync();
    expect(run).toMatchObject({
      state: 'partial',
      phase: 'apply',
      counts: { seen: 40, created: 10, failed: 30 },
    });
    stages.catalog.script.reset();
    await stages.db.affected('UPDATE sync_run SET retry_at = now() WHERE id = $1', [run.id]);
    await stages.runs.requeueDue();
    const again = await stages.work(run.id);
    expect(again).toMatchObject({
      id: run.id,
      state: 'succeeded',
      counts: { seen: 40, created: 40, failed: 0 },
    });
    expect(stages.catalog.script.count('upsertProduct')).toBe(30);
    expect(stages.store.script.count('startExport')).toBe(1);
    expect(await stages.runs.latest(STORE, 5)).toHaveLength(1);
  });
});

describe('an outdated identifier that the catalog may still hold', () => {
  const outdated = async (kind: string, value: string, owner: string): Promise<void> => {
    await stages.db.affected(
      `INSERT INTO product_identifier (workspace, kind, folded, value, owner, store, product, wanted)
       VALUES ('default', $1, lower($2), $2, $3, 'main', $4, false)`,
      [kind, value, owner, ours(1)],
    );
  };
  const known = async (): Promise<string[]> =>
    ((await stages.actions.held({ store: STORE, workspace: WORKSPACE }, [ours(1)])).get(ours(1)) ?? [])
      .filter(({ wanted }) => !wanted)
      .map(({ value }) => value);

  it('of a variant is cleared before it is forgotten, by an action about anything else too', async () => {
    stages.store.put(modelSnapshot(1));
    await stages.sync();
    const { id, variants } = stages.catalog.of(ours(1))!;
    stages.catalog.change(id, {
      variants: variants!.map((each) => ({ ...each, barcode: `OLD-${each.sku}` })),
    });
    await outdated('barcode', 'OLD-SKU-1-1', `${ours(1)}:101`);
    stages.store.edit('1', { vendor: 'Other' });
    expect((await stages.sync()).counts).toMatchObject({ updated: 1, failed: 0 });
    const [first] = stages.catalog.of(ours(1))?.variants ?? [];
    expect([first?.sku, first?.barcode ?? '']).toEqual(['SKU-1-1', '']);
    expect(await known()).toEqual([]);
  });

  it('is not forgotten by a creation in the background, and is cleared once the product is there', async () => {
    stages.catalog.background = { polls: 3 };
    stages.store.put(modelSnapshot(1));
    await outdated('mpn', 'OLD', ours(1));
    stages.catalog.script.after('getBackgroundTask', async () => {
      expect(await known()).toEqual(['OLD']);
    });
    expect((await stages.sync()).counts).toMatchObject({ created: 1, failed: 0 });
    expect(await known()).toEqual([]);
    const cleared = stages.catalog.script.calls.filter(({ operation }) => operation === 'updateProduct');
    expect(cleared.map(({ args }) => args[1])).toContainEqual(expect.objectContaining({ mpn: null }));
  });
});
