import { beforeEach, describe, expect, it } from '@jest/globals';
import { CodedError } from '../../../src/domain/errors.js';
import type { WriteBackFilter } from '../../../src/domain/write-back-filter.js';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, type ResultOptions } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';

const PRODUCTS = [1, 2, 3];
const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  for (const id of PRODUCTS) stages.store.put(snapshot(id));
  await stages.sync();
});

async function applied(id: number, options: ResultOptions = {}): Promise<void> {
  const row = await deliverNewer(stages, { id, ...options });
  expect(await stages.writer.write(row)).toMatchObject({ state: 'applied' });
}

async function requested(filter: WriteBackFilter): Promise<string> {
  const { count, until } = await stages.bulkChanges.matching('revert', filter, null);
  const permissions = { overwriteEdits: false, passGates: false };
  return stages.bulkChanges.add({
    ...{ action: 'revert', filter, dryRun: false, until, actor: 'somebody', matching: count, permissions },
  });
}

async function work(id: string): Promise<void> {
  const wake = () => Promise.resolve();
  await stages.bulkWorker.work(id, { signal: new AbortController().signal, wake });
}

const titles = () => PRODUCTS.map((id) => stages.store.at(String(id)).title);
const changeOf = async (id: string) => (await stages.bulkChanges.get(id))!;

describe('a product at which alone the store fails', () => {
  /** Every read of the live product with this number fails. */
  function fails(product: number): void {
    const read = stages.store.readLive.bind(stages.store);
    stages.store.readLive = async (...args: Parameters<typeof read>) => {
      if (args[0] === String(product)) throw new CodedError('transient', 'answered 500', { status: 500 });
      return read(...args);
    };
  }

  async function untilEnded(id: string): Promise<number> {
    for (let works = 1; works <= 20; works += 1) {
      await work(id);
      if ((await changeOf(id)).state !== 'queued') return works;
      await stages.db.affected('UPDATE bulk_change SET next_attempt_at = now()');
    }
    throw new Error('the change never ends');
  }

  it('does not hold up the others, and is refused by name after some tries', async () => {
    for (const id of PRODUCTS) await applied(id);
    fails(1);
    const change = await requested({ store: STORE });
    await untilEnded(change);
    expect(titles()).toEqual(['Generated 1', 'Product 2', 'Product 3']);
    expect(await changeOf(change)).toMatchObject({
      ...{ state: 'done', done: 2, refused: 1 },
      items: [{ externalId: snapshot(1).externalId, ok: false, detail: expect.stringContaining('500') }],
    });
  });

  it('keeps the order of its own write-backs: the newer one is reverted first', async () => {
    await applied(1, { name: 'First' });
    await applied(1, { taskId: 'second', name: 'Second', html: '<p>Second</p>' });
    await applied(2);
    const read = stages.store.readLive.bind(stages.store);
    fails(1);
    const change = await requested({ store: STORE });
    for (let night = 0; night < 3; night += 1) {
      await work(change);
      await stages.db.affected('UPDATE bulk_change SET next_attempt_at = now()');
    }
    expect(titles()).toEqual(['Second', 'Product 2', 'Product 3']);
    stages.store.readLive = read;
    await untilEnded(change);
    expect(titles()).toEqual(['Product 1', 'Product 2', 'Product 3']);
    expect(await changeOf(change)).toMatchObject({ state: 'done', done: 3, refused: 0 });
  });
});

it('a bulk change follows its store to another key', async () => {
  for (const id of PRODUCTS) await applied(id);
  const change = await requested({ store: STORE });
  await stages.keys.inTurn((runner) => stages.keys.rename(STORE, 'renamed', runner));
  stages.storeKey = 'renamed';
  await work(change);
  expect(titles()).toEqual(['Product 1', 'Product 2', 'Product 3']);
  expect(await changeOf(change)).toMatchObject({ state: 'done', done: 3, refused: 0 });
});
