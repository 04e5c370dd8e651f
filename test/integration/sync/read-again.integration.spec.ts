import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type CompletedExport, ReadAgainError, type SourceProduct } from '../../../src/domain/store-port.js';
import type { ProductSnapshot } from '../../../src/domain/snapshot.js';
import type { SyncActionEntity } from '../../../src/persistence/entities/index.js';
import { dryRun } from '../../../src/sync/dry-run.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';

let stages: Stages;
let reads: { readonly handle: string; readonly whole: boolean }[];
beforeAll(async () => {
  stages = await Stages.open();
});
beforeEach(async () => {
  await stages.reset();
  reads = [];
  stages.store.put(snapshot(1), snapshot(2), modelSnapshot(3));
  readsAgain(snapshot(1, { title: 'Not whole' }), snapshot(99));
});
afterAll(async () => stages.close());

/** The first read of each export returns these products, of which the store has none like this, and then has to begin again. */
function readsAgain(...notWhole: readonly ProductSnapshot[]): void {
  const { store } = stages;
  const read = store.readExport.bind(store);
  store.readExport = async function* (
    completed: CompletedExport,
    { whole } = { whole: false },
  ): AsyncGenerator<readonly SourceProduct[]> {
    reads.push({ handle: completed.handle, whole });
    if (whole) {
      yield* read(completed);
      return;
    }
    for (const { externalId, storeId, ...rest } of notWhole)
      yield [{ externalId, storeId, snapshot: () => ({ externalId, storeId, ...rest }) }];
    throw new ReadAgainError(new Error('a child came late'));
  };
}

const TWICE = [
  { handle: 'export-1', whole: false },
  { handle: 'export-1', whole: true },
];

describe('an export of which products were read before they were whole', () => {
  it('is read again by the same run, which keeps nothing of the first reading', async () => {
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', error: null, counts: { seen: 3, created: 3, owed: 0 } });
    expect(reads).toEqual(TWICE);
    expect(stages.store.script.count('startExport')).toBe(1);
    expect((await stages.actionsOf(run.id)).map(({ externalId }) => externalId).sort()).toEqual(
      [snapshot(1), snapshot(2), modelSnapshot(3)].map(({ externalId }) => externalId),
    );
    await expect(stages.link(99)).rejects.toThrow('no link');
    const titles = [...stages.catalog.products.values()].map((product) => JSON.stringify(product));
    expect(titles.some((text) => text.includes('Not whole'))).toBe(false);
  });

  it('marks nothing as gone that only its first reading missed', async () => {
    await stages.sync();
    expect(await stages.sync()).toMatchObject({ counts: { seen: 3, unchanged: 3, orphaned: 0 } });
  });

  it('fails its run when the second reading fails too, and the next attempt makes another export', async () => {
    const { store } = stages;
    store.readExport = async function* (): AsyncGenerator<readonly SourceProduct[]> {
      yield [];
      throw new ReadAgainError(new Error('a child came late'));
    };
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'failed', phase: 'extract', errorCode: 'transient', operation: null });
    expect(await stages.actionsOf(run.id)).toEqual([]);
    expect(await stages.state.store(STORE)).toBeNull();
  });

  it('is read again by a dry run too, which shows each change once', async () => {
    const before = await stages.contents();
    const actions: SyncActionEntity[] = [];
    const found = await dryRun(
      { db: stages.db, state: stages.state, clock: stages.clock },
      stages.sites.store(STORE),
      {
        full: true,
        signal: new AbortController().signal,
        onProgress: () => undefined,
        onActions: (some) => {
          actions.push(...some);
        },
      },
    );
    expect(found.counts).toMatchObject({ seen: 3, creates: 3, updates: 0, orphans: 0 });
    expect(actions.map(({ externalId }) => externalId)).not.toContain(snapshot(99).externalId);
    expect(actions).toHaveLength(3);
    expect(reads).toEqual(TWICE);
    expect(await stages.contents()).toBe(before);
  });
});
