import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Permissions } from '../../../src/domain/approval.js';
import { CodedError } from '../../../src/domain/errors.js';
import type { BulkAction, BulkItem, WriteBackFilter } from '../../../src/domain/write-back-filter.js';
import { BulkChangeRepository } from '../../../src/persistence/bulk-change.repository.js';
import { WriteBackReverts } from '../../../src/persistence/write-back-reverts.repository.js';
import { StatementError } from '../../../src/persistence/statement-error.js';
import type { BulkWorker } from '../../../src/write-back/bulk-worker.js';
import { WriteBackReverter } from '../../../src/write-back/reverter.js';
import { snapshot } from '../../support/fake-store.js';
import { deliverResult, type ResultOptions } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';

const PRODUCTS = [1, 2, 3];
const stages = await Stages.open();
let run: string;
beforeEach(async () => {
  await stages.reset();
  for (const id of PRODUCTS) stages.store.put(snapshot(id));
  run = (await stages.sync()).id;
});

let results = 0;

/** Delivers a newer result of the open task, whose run is then the run of the write-back. */
function generated(id: number, options: ResultOptions = {}): Promise<string> {
  results += 1;
  return deliverResult(stages, { id, createdAt: new Date(Date.now() + results * 1000), ...options });
}

async function applied(product: number, options: ResultOptions = {}): Promise<string> {
  const id = await generated(product, options);
  expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  return id;
}

async function requested(
  action: BulkAction,
  filter: WriteBackFilter,
  dryRun = false,
  given: Partial<Permissions> = {},
): Promise<string> {
  const { count, until } = await stages.bulkChanges.matching(action, filter, null);
  const permissions = { overwriteEdits: false, passGates: false, ...given };
  return stages.bulkChanges.add({
    action,
    filter,
    dryRun,
    until,
    actor: 'somebody',
    matching: count,
    permissions,
  });
}

interface Worked {
  readonly woken: readonly string[];
  readonly items: readonly BulkItem[];
}

async function work(id: string, worker = stages.bulkWorker): Promise<Worked> {
  const woken: string[] = [];
  const items: BulkItem[] = [];
  await worker.work(id, {
    signal: new AbortController().signal,
    wake: async (ids) => {
      woken.push(...ids);
    },
    onItem: (item) => items.push(item),
  });
  return { woken, items };
}

const titles = () => PRODUCTS.map((id) => stages.store.at(String(id)).title);
const changeOf = async (id: string) => (await stages.bulkChanges.get(id))!;

describe('a revert of all that one run wrote', () => {
  it('restores every product, and leaves what changed since, with the reason', async () => {
    for (const id of PRODUCTS) await applied(id);
    stages.store.edit('2', { title: 'Mine', descriptionHtml: '<p>Mine</p>' });
    const change = await requested('revert', { run });
    await work(change);
    expect(titles()).toEqual(['Product 1', 'Mine', 'Product 3']);
    expect(await changeOf(change)).toMatchObject({
      ...{ state: 'done', matching: 3, done: 2, refused: 1 },
      items: [{ externalId: snapshot(2).externalId, ok: false, detail: expect.stringContaining('none') }],
    });
  });

  it('says first, as a dry run, what would be restored and left and why, and writes nothing', async () => {
    for (const id of PRODUCTS) await applied(id);
    stages.store.edit('2', { title: 'Mine' });
    const writes = stages.store.script.count('writeFields');
    const change = await requested('revert', { run }, true);
    await work(change);
    expect(stages.store.script.count('writeFields')).toBe(writes);
    const { state, done, items } = await changeOf(change);
    expect({ state, done }).toEqual({ state: 'done', done: 3 });
    expect(items[1]?.detail).toBe('1 field would be restored, 1 left alone');
    expect(items[1]?.fields).toEqual([
      { target: 'title', outcome: 'not_ours', reason: expect.stringContaining('edited') },
      { target: 'descriptionHtml', outcome: 'reverted', reason: expect.any(String) },
    ]);
    const rows = await stages.writeBacks.forProduct(snapshot(1).externalId);
    expect(rows.map((row) => row.state)).toEqual(['applied']);
  });

  it('undoes several results of one product in the reverse order, as the dry run says', async () => {
    await applied(1, { name: 'First' });
    await applied(1, { taskId: 'second', name: 'Second', html: '<p>Second</p>' });
    const filter = { store: STORE };
    const dry = await requested('revert', filter, true);
    await work(dry);
    expect(await changeOf(dry)).toMatchObject({ done: 2, refused: 0 });
    const change = await requested('revert', filter);
    await work(change);
    expect(await changeOf(change)).toMatchObject({ state: 'done', done: 2, refused: 0 });
    expect(stages.store.at('1')).toMatchObject({ title: 'Product 1', descriptionHtml: '<p>Source 1</p>' });
  });

  it('is continued by another worker after a crash, and every row counts once', async () => {
    for (const id of PRODUCTS) await applied(id);
    const change = await requested('revert', { run });
    await expect(work(change, dyingAfter(2))).rejects.toThrow('died');
    expect(titles()).toEqual(['Product 1', 'Product 2', 'Generated 3']);
    expect(await stages.bulkChanges.due(10)).toEqual([]);
    await stages.db.affected(`UPDATE bulk_change SET lease_until = now() - interval '1 second'`);
    expect(await stages.bulkChanges.due(10)).toEqual([change]);
    await work(change);
    expect(titles()).toEqual(['Product 1', 'Product 2', 'Product 3']);
    expect(await changeOf(change)).toMatchObject({ state: 'done', done: 3, refused: 0 });
    expect(stages.store.script.count('writeFields')).toBe(6);
  });

  it('is put off with the reason while the store does not answer, and goes on later', async () => {
    for (const id of PRODUCTS) await applied(id);
    const change = await requested('revert', { run });
    stages.store.script.before('readLive', () => {
      throw new CodedError('transient', 'the store does not answer');
    });
    await work(change);
    expect(await changeOf(change)).toMatchObject({
      ...{ state: 'queued', done: 0, reason: expect.stringContaining('does not answer') },
    });
    await stages.db.affected('UPDATE bulk_change SET next_attempt_at = now()');
    await work(change);
    expect(await changeOf(change)).toMatchObject({ state: 'done', done: 3 });
  });

  it('stops when it is cancelled; what it did stays', async () => {
    for (const id of PRODUCTS) await applied(id);
    const change = await requested('revert', { run });
    await stages.bulkWorker.work(change, {
      signal: new AbortController().signal,
      wake: () => Promise.resolve(),
      onItem: () => void stages.bulkChanges.cancel(change, 'cancelled by somebody'),
    });
    expect(await changeOf(change)).toMatchObject({ state: 'cancelled' });
    expect(titles().filter((title) => title.startsWith('Product'))).not.toHaveLength(3);
    expect(await stages.bulkChanges.cancel(change, 'again')).toBe(false);
  });

  it('leaves the row at which its workers die again and again, names it, and goes on', async () => {
    for (const id of PRODUCTS) await applied(id);
    const change = await requested('revert', { run });
    await stages.db.affected('UPDATE bulk_change SET starts = 5');
    await work(change);
    expect(titles()).toEqual(['Generated 1', 'Product 2', 'Product 3']);
    expect(await changeOf(change)).toMatchObject({
      ...{ state: 'done', done: 2, refused: 1 },
      items: [{ externalId: snapshot(1).externalId, ok: false, detail: expect.stringContaining('5 times') }],
    });
  });

  it('is given up when its workers die without refusing a row', async () => {
    await applied(1);
    const change = await requested('revert', { run });
    await stages.db.affected('UPDATE bulk_change SET starts = 10');
    await work(change);
    expect(await changeOf(change)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('10 times'),
    });
  });

  it('leaves a row that fails with an error that nobody foresaw, names both, and goes on', async () => {
    for (const id of PRODUCTS) await applied(id);
    const change = await requested('revert', { run });
    await work(change, failingAt(snapshot(2).externalId, new TypeError('cannot read the journal')));
    expect(titles()).toEqual(['Product 1', 'Generated 2', 'Product 3']);
    expect(await changeOf(change)).toMatchObject({
      ...{ state: 'done', done: 2, refused: 1 },
      items: [
        {
          externalId: snapshot(2).externalId,
          ok: false,
          detail: 'unexpected error: cannot read the journal',
        },
      ],
    });
    expect(stages.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fields: expect.objectContaining({
          bulkChangeId: change,
          externalId: snapshot(2).externalId,
          err: expect.any(TypeError),
        }),
      }),
    );
  });

  it('tries a row again where the database failed, and refuses no row for it', async () => {
    for (const id of PRODUCTS) await applied(id);
    const change = await requested('revert', { run });
    const fault = new StatementError('the connection ended', '57P01', undefined, 'SELECT 1');
    await expect(work(change, failingAt(snapshot(2).externalId, fault))).rejects.toThrow(fault);
    await stages.db.affected(`UPDATE bulk_change SET lease_until = now() - interval '1 second'`);
    await work(change);
    expect(await changeOf(change)).toMatchObject({ state: 'done', done: 3, refused: 0 });
  });

  it('waits for a store that is down for as long as that takes', async () => {
    for (const id of PRODUCTS) await applied(id);
    const change = await requested('revert', { run });
    for (let night = 0; night < 7; night += 1) {
      stages.store.script.before('readLive', () => {
        throw new CodedError('transient', 'the store does not answer');
      });
      await work(change);
      expect(await changeOf(change)).toMatchObject({ state: 'queued' });
      await stages.db.affected('UPDATE bulk_change SET next_attempt_at = now()');
    }
    await work(change);
    expect(await changeOf(change)).toMatchObject({ state: 'done', done: 3, refused: 0 });
  });
});

describe('an approval of all that match', () => {
  beforeEach(() => {
    stages.settings = { store: { writeBack: { mode: 'review' } }, workspace: {} };
  });

  it('releases the counted rows, and none that came later', async () => {
    const first = [await generated(1), await generated(2)];
    const change = await requested('approve', { store: STORE });
    const later = await generated(3);
    const { woken } = await work(change);
    expect([...woken].sort()).toEqual([...first].sort());
    expect(await changeOf(change)).toMatchObject({ state: 'done', matching: 2, done: 2 });
    expect(await stages.writeBacks.get(later)).toMatchObject({ state: 'pending_review' });
    expect(await stages.writeBacks.get(first[0]!)).toMatchObject({ state: 'ready', decidedBy: 'somebody' });
  });

  it('takes up what waits for review alone, unless the filter names another state', async () => {
    const id = await generated(1);
    await stages.db.affected(`UPDATE write_back SET state = 'conflicted' WHERE id = $1`, [id]);
    const count = async (filter: WriteBackFilter) =>
      (await stages.bulkChanges.matching('approve', filter, null)).count;
    expect(await count({ store: STORE })).toBe(0);
    expect(await count({ store: STORE, state: 'conflicted' })).toBe(1);
    expect(await count({ store: STORE, state: 'applied' })).toBe(0);
  });
});

it('applying again brings back the newest of what was reverted', async () => {
  await applied(1, { name: 'First' });
  await applied(1, { taskId: 'second', name: 'Second', html: '<p>Second</p>' });
  await work(await requested('revert', { store: STORE }));
  const again = await requested('reapply', { store: STORE });
  const { woken } = await work(again);
  for (const id of woken) await stages.writer.write(id);
  expect(stages.store.at('1').title).toBe('Second');
  expect(await changeOf(again)).toMatchObject({ state: 'done', matching: 2, done: 1, refused: 1 });
});

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
    const change = await requested('revert', { store: STORE });
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
    const change = await requested('revert', { store: STORE });
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
  const change = await requested('revert', { store: STORE });
  await stages.keys.inTurn((runner) => stages.keys.rename(STORE, 'renamed', runner));
  stages.storeKey = 'renamed';
  await work(change);
  expect(titles()).toEqual(['Product 1', 'Product 2', 'Product 3']);
  expect(await changeOf(change)).toMatchObject({ state: 'done', done: 3, refused: 0 });
});

/** A worker that dies after it moved a row and before it counts that. */
function dyingAfter(rows: number): BulkWorker {
  class Dying extends BulkChangeRepository {
    private handledRows = 0;

    override async handled(...args: Parameters<BulkChangeRepository['handled']>): Promise<boolean> {
      this.handledRows += 1;
      if (this.handledRows === rows) throw new Error('died');
      return super.handled(...args);
    }
  }
  return stages.bulkWorkerWith({ changes: new Dying(stages.db) });
}

/** A worker that meets an error without a code when it reverts a row of one product. */
function failingAt(externalId: string, error: Error): BulkWorker {
  class Failing extends WriteBackReverter {
    override async revert(...args: Parameters<WriteBackReverter['revert']>) {
      if ((await stages.writeBacks.get(args[0]))?.externalId === externalId) throw error;
      return super.revert(...args);
    }
  }
  const { logger, connections, writeBacks, links, db, clock } = stages;
  const reverter = new Failing(connections, writeBacks, new WriteBackReverts(db), links, clock, logger);
  return stages.bulkWorkerWith({ reverter });
}
