import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { errorLine } from '../../../src/domain/errors.js';
import { Gate } from '../../support/call-script.js';
import { dryRunOf } from '../../support/dry-run-of.js';
import { fakeIntervals } from '../../support/fake-intervals.js';
import { refusal } from '../../support/fake-catalog.js';
import { snapshot, withSku } from '../../support/fake-store.js';
import { deliverResult } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());
afterEach(() => {
  jest.useRealTimers();
});

async function linked(...ids: readonly number[]): Promise<void> {
  stages.store.put(...ids.map((id) => snapshot(id)));
  await stages.sync();
}

const kindsOf = async (runId: string) =>
  (await stages.actionsOf(runId)).map(({ kind, externalId }) => `${kind} ${externalId.split(':')[2] ?? ''}`);

describe('a read', () => {
  it('that shows a product twice plans it once', async () => {
    stages.store.exports = false;
    stages.store.put(snapshot(1), snapshot(2));
    stages.store.repeated = [snapshot(1), snapshot(2, { title: 'Later' })];
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ seen: 2, created: 2 });
    expect(await kindsOf(run.id)).toEqual(['create 1', 'create 2']);
  });

  it('of what did not change plans nothing, and compares with one page of the listing', async () => {
    await linked(1, 2, 3);
    stages.catalog.script.forget();
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ seen: 3, unchanged: 3, created: 0, updated: 0 });
    expect(stages.catalog.script.operations()).toEqual(['listProducts']);
    expect(await stages.actionsOf(run.id)).toEqual([]);
  });

  it('does not take the name of the shop as a brand', async () => {
    stages.store.identity = { ...stages.store.identity, name: 'Acme' };
    stages.store.put(snapshot(1), { ...snapshot(2), vendor: 'Other' });
    await stages.sync();
    const brands = [1, 2].map((id) => stages.catalog.of(snapshot(id).externalId)?.brand);
    expect(brands).toEqual([undefined, 'Other']);
  });

  it('sends only the fields that changed, each with the reason', async () => {
    await linked(1);
    stages.store.edit('1', { vendor: 'Other', descriptionHtml: null });
    const run = await stages.sync();
    expect(await stages.actionsOf(run.id)).toMatchObject([
      { kind: 'update', reason: 'changed in the store: description, html_description, brand' },
    ]);
    expect(stages.catalog.script.calls.find((call) => call.operation === 'updateProduct')?.args[1]).toEqual({
      ...{ brand: 'Other', description: '', html_description: '' },
    });
  });

  it('counts each product once', async () => {
    await linked(1, 2, 3);
    stages.store.edit('1', { vendor: 'Other' });
    stages.store.put(snapshot(4));
    stages.store.products.delete('2');
    const { counts } = await stages.sync();
    expect(counts).toMatchObject({ seen: 3, created: 1, updated: 1, unchanged: 1, failed: 0, orphaned: 1 });
  });

  it('include a product that is gone from the store and that the catalog refuses to delete', async () => {
    stages.settings = { store: { deleted: 'delete' }, workspace: {} };
    await linked(1, 2);
    stages.store.products.delete('2');
    stages.catalog.script.before('deleteProduct', refusal('invalid'));
    const { counts } = await stages.sync();
    expect(counts).toMatchObject({ seen: 2, unchanged: 1, failed: 1, orphaned: 0 });
  });
});

describe('a product out of scope', () => {
  it('is neither seen nor taken for gone', async () => {
    await linked(1);
    stages.store.edit('1', { status: 'DRAFT' });
    stages.store.put(snapshot(2, { status: 'ARCHIVED' }));
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ seen: 0, created: 0, orphaned: 0 });
    expect(await stages.link(1)).toMatchObject({ state: 'linked' });
  });
});

describe('a product that is gone', () => {
  it('is orphaned by a full export, once', async () => {
    await linked(1, 2);
    stages.store.products.delete('1');
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { orphaned: 1 } });
    expect(await stages.link(1)).toMatchObject({ state: 'orphaned', orphanedAt: expect.any(Date) });
    expect((await stages.sync()).counts).toMatchObject({ orphaned: 0 });
  });

  it('is orphaned by pages that are proved complete', async () => {
    stages.store.exports = false;
    await linked(1, 2);
    stages.store.products.delete('1');
    expect((await stages.sync()).counts).toMatchObject({ orphaned: 1 });
  });

  it.each([
    ['fewer were read than the store counts', 2],
    ['the store does not count', null],
  ])('is not concluded from a short read: %s', async (_case, counted) => {
    stages.store.exports = false;
    await linked(1, 2);
    stages.store.products.delete('1');
    stages.store.counted = counted;
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { orphaned: 0 } });
    expect(run.notes.join()).toContain('no product was marked as gone: the store');
    expect(await stages.link(1)).toMatchObject({ state: 'linked' });
    expect(stages.log).toMatchObject([{ message: expect.stringContaining('nothing is marked as gone') }]);
  });

  it('comes back under its old catalog product', async () => {
    await linked(1, 2);
    const { catalogId } = await stages.link(1);
    stages.store.products.delete('1');
    await stages.sync();
    stages.store.put(snapshot(1));
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ seen: 2, updated: 1, created: 0 });
    expect(await stages.link(1)).toMatchObject({ state: 'linked', catalogId, orphanedAt: null });
  });

  it('and comes back still gets the content that it was due, and none while it is away', async () => {
    stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
    stages.store.put(withSku(snapshot(1), null));
    await stages.sync();
    const back = stages.store.at('1');
    stages.store.products.delete('1');
    await stages.sync();
    stages.settings = { store: {}, workspace: {} };
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 0 });
    stages.store.put(back);
    expect((await stages.sync()).counts).toMatchObject({ updated: 1, generationRequested: 1 });
  });

  it('is asked about one by one where a query narrows the read', async () => {
    stages.settings = { store: { filter: { query: 'tag:x' } }, workspace: {} };
    await linked(1, 2, 3);
    stages.store.products.delete('1');
    stages.store.selects = (product) => product.storeId !== '2';
    expect((await stages.sync()).counts).toMatchObject({ seen: 1, orphaned: 1 });
    expect(await stages.link(1)).toMatchObject({ state: 'orphaned' });
    expect(await stages.link(2)).toMatchObject({ state: 'linked' });
    expect(stages.store.script.calls).toContainEqual(
      expect.objectContaining({ operation: 'readProducts', args: [expect.arrayContaining(['1', '2'])] }),
    );
  });
});

describe.each([
  ['an export', true],
  ['pages', false],
])('a product that the search of %s leaves out although the store has it', (_read, exports) => {
  beforeEach(async () => {
    stages.store.exports = exports;
    stages.settings = { store: { limits: { maxOrphanedShare: 0.5 } }, workspace: {} };
    await linked(1, 2, 3, 4, 5);
    stages.store.selects = (product) => product.storeId !== '2';
    stages.catalog.script.forget();
  });

  it('is not orphaned, and its catalog product keeps its identifiers', async () => {
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { seen: 5, unchanged: 5, orphaned: 0 } });
    expect(await stages.link(2)).toMatchObject({ state: 'linked' });
    expect(stages.catalog.script.count('updateProduct')).toBe(0);
  });

  it('is read by its id, so that its change is not missed', async () => {
    stages.store.edit('2', { title: 'Renamed' });
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ seen: 5, updated: 1, orphaned: 0 });
    expect(await kindsOf(run.id)).toEqual(['update 2']);
  });
});

describe('a product that the store has again when its removal is carried out', () => {
  it('keeps its identifiers, and the next run plans it', async () => {
    stages.settings = { store: { limits: { maxOrphanedShare: 0.5 } }, workspace: {} };
    await linked(1, 2, 3);
    stages.store.selects = (product) => product.storeId !== '2';
    const { store } = stages;
    const read = store.readProducts.bind(store);
    // It is away while the run is planned.
    store.readProducts = async (ids) => {
      store.readProducts = read;
      return ids.map(() => null);
    };
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { orphaned: 0, owed: 1 } });
    expect(await stages.link(2)).toMatchObject({ state: 'linked' });
    expect(stages.catalog.script.count('updateProduct')).toBe(0);
    expect(await stages.sync({ full: false })).toMatchObject({ state: 'succeeded', counts: { owed: 0 } });
  });
});

describe('limits', () => {
  const limits = { maxChangedShare: 0.5, maxOrphanedShare: 0.2 };
  beforeEach(async () => {
    await linked(1, 2, 3, 4);
    stages.settings = { store: { limits }, workspace: {} };
    stages.catalog.script.forget();
  });

  it('stop a run that would orphan too many, before anything is applied', async () => {
    stages.store.products.delete('1');
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'failed', retryAt: null, errorCode: 'limit' });
    expect(run.error).toContain('limits.maxOrphanedShare');
    expect(run.error).toContain('25.0 %');
    expect(await stages.link(1)).toMatchObject({ state: 'linked' });
  });

  it('stop a run that would change too many, before anything is applied', async () => {
    for (const id of ['1', '2', '3']) stages.store.edit(id, { vendor: 'Other' });
    const run = await stages.sync();
    expect(run.error).toContain('limits.maxChangedShare');
    expect(await stages.actionsOf(run.id)).toEqual([]);
    expect(stages.catalog.script.count('updateProduct')).toBe(0);
  });

  it('allow exactly their share, and do not count new products', async () => {
    for (const id of ['1', '2']) stages.store.edit(id, { vendor: 'Other' });
    stages.store.put(snapshot(5), snapshot(6), snapshot(7));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { updated: 2, created: 3 } });
  });

  it('are ignored with force', async () => {
    stages.store.products.delete('1');
    expect(await stages.sync({ force: true })).toMatchObject({ state: 'succeeded', counts: { orphaned: 1 } });
  });
});

describe('a product that is being written', () => {
  it('is passed over while a write-back that was cut off waits to be finished', async () => {
    await linked(1);
    stages.store.edit('1', { vendor: 'Other' });
    const id = await deliverResult(stages);
    expect((await stages.sync()).counts).toMatchObject({ updated: 1 });
    await stages.caps.begin(
      { id, store: STORE },
      { title: { value: 'Generated', before: 'Product 1' } },
      stages.connections.store(STORE).writeLimits,
    );
    stages.store.edit('1', { title: 'Generated' });
    expect((await stages.sync()).counts).toMatchObject({ unchanged: 1, updated: 0 });
  });
});

describe('a dry run', () => {
  it('leaves every table, what is owed among them, the store and the catalog as they were', async () => {
    await linked(1, 2, 3);
    await stages.owed.note(STORE, [
      { externalId: snapshot(3).externalId, storeId: '3', label: '', code: 'changed', detail: null },
    ]);
    stages.store.edit('1', { vendor: 'Other' });
    stages.store.products.delete('2');
    stages.store.put(snapshot(4));
    const before = await stages.contents();
    const held = JSON.stringify([...stages.catalog.products]);
    const { actions, ...found } = await dryRunOf(stages);
    expect(found).toMatchObject({ kind: 'full', incomplete: null });
    expect(found.counts).toMatchObject({ seen: 3, creates: 1, updates: 1, orphans: 1, unchanged: 1 });
    expect(actions.map((action) => action.kind).sort()).toEqual(['create', 'orphan', 'update']);
    expect(await stages.contents()).toBe(before);
    expect(JSON.stringify([...stages.catalog.products])).toBe(held);
  });

  it('looks on where limits would stop a run, and beside a run that is active', async () => {
    await linked(1, 2);
    stages.settings = { store: { limits: { maxOrphanedShare: 0 } }, workspace: {} };
    stages.store.products.delete('1');
    await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    expect((await dryRunOf(stages)).counts).toMatchObject({ orphans: 1 });
  });

  it.each(['before', 'after'])(
    'says so, and what to do, when it was ended because its process had stopped (%s the next heartbeat)',
    async (when) => {
      await linked(1);
      stages.store.edit('1', { vendor: 'Other' });
      if (when === 'after') fakeIntervals();
      const gate = new Gate();
      stages.store.script.before('identify', gate.hold);
      const planned = dryRunOf(stages).catch((error: unknown) => error);
      await gate.reached;
      await stages.db.affected(
        `UPDATE sync_run SET lease_until = now() - interval '1 second' WHERE state = 'planning'`,
      );
      await stages.runs.endLostPlans();
      if (when === 'after') {
        const keepLease = jest.spyOn(stages.plans, 'keepLease');
        jest.advanceTimersByTime(6_000);
        expect(await keepLease.mock.results[0]?.value).toBe(false);
        keepLease.mockRestore();
      }
      gate.open();
      expect(errorLine(await planned)).toBe(
        'the plan was ended while it was made: this process did not renew it for 20 seconds. Make a new one',
      );
    },
  );
});
