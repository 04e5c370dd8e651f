import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Job } from 'bullmq';
import { Shutdown } from '../../../src/runtime/shutdown.js';
import { CreationsProcessor } from '../../../src/sync/creations.processor.js';
import { refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.catalog.background = { polls: 2 };
});

const ours = (id: number): string => snapshot(id).externalId;
const models = (count: number) => Array.from({ length: count }, (_each, index) => modelSnapshot(index + 1));

describe('a product that the catalog creates in its background', () => {
  it.each([1, 8, 14])(
    'is followed to its end and linked with its variants, also when there are %d',
    async (count) => {
      stages.store.put(...models(count));
      const run = await stages.sync();
      expect(run).toMatchObject({
        state: 'succeeded',
        counts: { created: count, failed: 0, generationRequested: count },
      });
      for (let id = 1; id <= count; id += 1) {
        const link = await stages.link(id);
        expect(link).toMatchObject({ state: 'linked', catalogId: String(stages.catalog.of(ours(id))?.id) });
        expect(Object.keys(link.variantLinks)).toHaveLength(2);
        expect(stages.catalog.countOf(ours(id))).toBe(1);
      }
      expect(stages.catalog.script.count('upsertProduct')).toBe(count);
    },
  );

  it('is asked about with growing pauses, also when others have ended before it', async () => {
    stages.store.put(...models(4));
    stages.catalog.requestsAtOnce = 1;
    stages.catalog.script.after('upsertProduct', () => undefined, 3);
    stages.catalog.script.before('upsertProduct', () => undefined, 3);
    stages.catalog.script.before('upsertProduct', () => {
      stages.catalog.background = { polls: 6 };
    });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 4 } });
    expect(stages.clock.slept).toHaveLength(6);
    const sorted = [...stages.clock.slept].sort((left, right) => left - right);
    expect(stages.clock.slept).toEqual(sorted);
  });

  it('whose task fails is reported with the reason, and the next run creates it again', async () => {
    stages.store.put(modelSnapshot(1), snapshot(2));
    stages.catalog.background = { polls: 0, failure: 'variants: too many' };
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { seen: 2, created: 1, failed: 1 } });
    expect(run.error).toContain('variants: too many');
    expect(await stages.links.get(ours(1))).toBeNull();
    stages.catalog.background = null;
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1, unchanged: 1 } });
  });

  it.each(['auth', 'not_found'] as const)(
    'whose task cannot be read (%s) is found in the listing',
    async (code) => {
      stages.store.put(modelSnapshot(1));
      stages.catalog.script.before('getBackgroundTask', refusal(code, { status: 403 }), 50);
      stages.catalog.script.after('upsertProduct', () => stages.catalog.finishCreation('task-1'));
      expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { created: 1 } });
      expect(await stages.link(1)).toMatchObject({ state: 'linked' });
      expect(stages.catalog.script.count('upsertProduct')).toBe(1);
    },
  );

  it('is not sent again while it is being created, and keeps its run waiting for four minutes at most', async () => {
    stages.store.put(modelSnapshot(1));
    stages.catalog.background = { polls: 1000 };
    const startedAt = stages.clock.now().getTime();
    expect(await stages.sync()).toMatchObject({ state: 'partial', counts: { created: 1, owed: 1 } });
    expect(stages.clock.now().getTime() - startedAt).toBeLessThanOrEqual(240_000);
    expect(await stages.link(1)).toMatchObject({ state: 'pending', catalogId: null });
    expect(await stages.sync()).toMatchObject({ counts: { seen: 1, unchanged: 1, created: 0 } });
    expect(stages.catalog.script.count('upsertProduct')).toBe(1);
  });

  it('that search and listing hide is found by one more upsert without variants', async () => {
    stages.store.put(modelSnapshot(1));
    stages.catalog.hidden.add(ours(1));
    expect(await stages.sync()).toMatchObject({ state: 'succeeded' });
    expect(await stages.link(1)).toMatchObject({ state: 'linked' });
    const upserts = stages.catalog.script.calls.filter((call) => call.operation === 'upsertProduct');
    expect(upserts).toHaveLength(2);
    expect(upserts[1]?.args[0]).not.toHaveProperty('variants');
    expect(stages.catalog.countOf(ours(1))).toBe(1);
    expect(stages.catalog.of(ours(1))?.variants).toHaveLength(2);
  });

  it('that search and listing hide gets no further upsert from a worker that lost its run', async () => {
    stages.store.put(modelSnapshot(1));
    stages.catalog.background = { polls: 1000 };
    stages.catalog.hidden.add(ours(1));
    await stages.sync();
    stages.catalog.finishCreation('task-1');
    stages.catalog.script.forget();
    const follow = stages.creations.follow(
      stages.connections.store(STORE),
      60_000,
      new AbortController().signal,
      () => {
        throw new Error('another worker took the run over');
      },
    );
    await expect(follow).rejects.toThrow('took the run over');
    expect(stages.catalog.script.count('upsertProduct')).toBe(0);
  });

  it('is searched by its own identifier, its variants’ ones and its name, and compared by external_id', async () => {
    stages.store.put(modelSnapshot(1));
    stages.catalog.background = { polls: 3 };
    stages.catalog.script.after('upsertProduct', () =>
      stages.catalog.hold({ name: 'Product 1', external_id: 'erp:1' }),
    );
    await stages.sync();
    expect(await stages.link(1)).toMatchObject({ catalogId: String(stages.catalog.of(ours(1))?.id) });
  });
});

describe('a worker that is late', () => {
  const state = async () => ({
    link: await stages.links.get(ours(1)),
    owed: await stages.owedRow(ours(1)),
    action: (await stages.actions.newest(ours(1)))?.state,
  });

  beforeEach(async () => {
    stages.store.put(modelSnapshot(1));
    await stages.sync();
    await stages.owed.note(STORE, [
      { externalId: ours(1), storeId: '1', label: '', code: 'changed', detail: null },
    ]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['with a failed creation', () => stages.links.creationFailed(ours(1), 'task-1', 'it failed')],
    ['with a created product', () => stages.links.linkCreated(ours(1), '999', {})],
    [
      'with a product that is gone',
      async () => {
        const action = (await stages.actions.newest(ours(1)))!;
        await stages.actions.orphaned(action, { unlinked: true });
      },
    ],
  ])('%s changes nothing of a product that another worker linked', async (_what, late) => {
    const before = await state();
    await late();
    expect(await state()).toEqual(before);
  });

  it('with fields that a creation left out keeps what is owed of a product that left', async () => {
    await stages.db.affected(`UPDATE store_product SET state = 'orphaned'`);
    await stages.owed.note(STORE, [
      { externalId: ours(1), storeId: '1', label: '', code: 'without_identifiers', detail: null },
    ]);
    const before = await state();
    await stages.links.completed(ours(1), [], {});
    expect(await state()).toEqual(before);
  });

  it('with a failed creation leaves a newer creation of the product alone', async () => {
    await stages.db.affected(
      `UPDATE store_product SET state = 'pending', creation_task_id = 'task-2', catalog_id = NULL`,
    );
    const before = await state();
    await stages.links.creationFailed(ours(1), 'task-1', 'it failed');
    expect(await state()).toEqual(before);
  });
});

describe('a product that leaves while it is created', () => {
  const follow = async (): Promise<string[]> =>
    stages.creations.follow(stages.connections.store(STORE), 60_000, new AbortController().signal);

  const leave = async (full: boolean, deleted: 'delete' | 'keep' = 'keep'): Promise<void> => {
    stages.settings = { store: { deleted }, workspace: {} };
    stages.catalog.background = { polls: 1000 };
    stages.store.put(modelSnapshot(1));
    await stages.sync();
    stages.store.products.delete('1');
    // The merchant makes the product again, under a new id and with the same SKUs.
    const skus = modelSnapshot(1).variants.map(({ sku }) => sku);
    const again = modelSnapshot(2);
    stages.catalog.background = null;
    stages.store.put({
      ...again,
      updatedAt: stages.clock.now(),
      variants: again.variants.map((each, index) => ({ ...each, sku: skus[index] ?? null })),
    });
    await stages.owed.note(STORE, [
      { externalId: ours(1), storeId: '1', label: '', code: 'changed', detail: null },
    ]);
    const run = await stages.sync({ full });
    expect(run).toMatchObject({ state: 'partial', counts: { created: 1, orphaned: 0, owed: 1 } });
    expect(run.notes.join()).toContain('it left the store while the catalog was creating it');
  };

  it.each([
    ['delete', true],
    ['keep', false],
  ] as const)(
    'is gone from both sides once it was created (`deleted: %s`, full runs: %s)',
    async (deleted, full) => {
      await leave(full, deleted);
      stages.catalog.finishCreation('task-1');
      expect(await follow()).toEqual([ours(1)]);
      expect((await stages.sync({ full })).counts).toMatchObject({ orphaned: 1, generationRequested: 0 });
      expect(await stages.sync({ full })).toMatchObject({
        state: 'succeeded',
        counts: { owed: 0, conflicted: 0 },
      });
      expect(await stages.link(1)).toMatchObject({ state: 'orphaned' });
      if (deleted === 'delete') expect(stages.catalog.of(ours(1))).toBeUndefined();
      else expect(stages.catalog.of(ours(1))?.variants?.every(({ sku }) => (sku ?? '') === '')).toBe(true);
      expect(stages.catalog.of(ours(2))?.variants?.map(({ sku }) => sku)).toEqual(['SKU-1-1', 'SKU-1-2']);
      expect(await stages.tasks.newest(ours(1))).toBeNull();
    },
  );

  it('and whose creation fails leaves nothing behind', async () => {
    await leave(true);
    stages.catalog.settleTask('task-1', 'failed', 'too many');
    stages.catalog.creations.delete('task-1');
    expect(await follow()).toEqual([]);
    await stages.sync();
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { owed: 0, conflicted: 0 } });
    expect(await stages.links.get(ours(1))).toBeNull();
    expect(stages.catalog.of(ours(2))?.variants?.map(({ sku }) => sku)).toEqual(['SKU-1-1', 'SKU-1-2']);
  });

  it('and comes back is an ordinary product', async () => {
    await leave(true);
    stages.store.products.delete('2');
    stages.store.put(modelSnapshot(1));
    stages.catalog.finishCreation('task-1');
    await follow();
    await stages.sync();
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { owed: 0 } });
    expect(await stages.link(1)).toMatchObject({ state: 'linked' });
    expect(await stages.tasks.newest(ours(1))).toMatchObject({ state: 'requested' });
  });
});

describe('generation for creations that outlived their run', () => {
  it('counts towards generation.maxPerRun of that run, and the rest waits for the next', async () => {
    stages.settings = { store: {}, workspace: { generation: { maxPerRun: 3 } } };
    stages.catalog.background = { polls: 100_000 };
    stages.store.put(snapshot(11), snapshot(12), ...models(4));
    const run = await stages.sync();
    expect(run.counts).toMatchObject({ generationRequested: 2 });
    stages.catalog.background = { polls: 0 };
    const { creations, generation, links, runs, actions, connections } = stages;
    const processor = new CreationsProcessor(
      ...([creations, generation, links, runs, actions, connections, new Shutdown()] as const),
    );
    for (const { creationTaskId } of await stages.links.pending(STORE, WORKSPACE))
      stages.catalog.finishCreation(creationTaskId ?? '');
    await processor.process({ data: { id: `creations:${STORE}` } } as Job);
    expect((await actions.tally(run.id)).generationRequested).toBe(3);
    await processor.process({ data: { id: `creations:${STORE}` } } as Job);
    expect((await actions.tally(run.id)).generationRequested).toBe(3);
    expect(await stages.links.generationDue(STORE, WORKSPACE, 10)).toHaveLength(3);
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 3 });
  });
});
