import { beforeEach, describe, expect, it } from '@jest/globals';
import { openDataSource } from '../../../src/persistence/data-source.js';
import { Database } from '../../../src/persistence/database.js';
import { StatusRepository } from '../../../src/persistence/status.repository.js';
import { TaskRepository } from '../../../src/persistence/task.repository.js';
import { WriteCapRepository } from '../../../src/persistence/write-cap.repository.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, resultOf } from '../../support/results.js';
import { PERSON, Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
});

/** A store with these limits, `count` products that are synchronised, and a result for each; returns their write-backs. */
async function results(limits: Record<string, number>, count: number): Promise<string[]> {
  stages.settings = { store: { limits, schedule: { timezone: 'Asia/Tokyo' } }, workspace: {} };
  const products = Array.from({ length: count }, (_none, index) => index + 1);
  stages.store.put(...products.map((id) => snapshot(id)));
  await stages.sync();
  const ids: string[] = [];
  for (const id of products) {
    const { writeBackId } = await deliver(stages, await resultOf(stages, id));
    if (writeBackId === null) throw new Error('the result led to no write-back');
    ids.push(writeBackId);
  }
  return ids;
}

const states = async (ids: readonly string[]): Promise<(string | undefined)[]> =>
  Promise.all(ids.map(async (id) => (await stages.writeBacks.get(id))?.state));
const written = (): number => stages.store.script.count('writeFields');
const wake = (): Promise<number> => stages.caps.wake(STORE, stages.connections.store(STORE).writeLimits);
/** Lets all writes of the store be `hours` older. */
const pass = (hours: number): Promise<number> =>
  stages.db.affected(`UPDATE write_back SET attempted_at = attempted_at - $1 * interval '1 hour'`, [hours]);

describe('limits.maxWritesPerDay', () => {
  it('holds when replicas write at once; the rest stays ready, says why, and is written the next day', async () => {
    const ids = await results({ maxWritesPerDay: 2 }, 5);
    // Each has its own writer, as replicas have.
    const ends = await Promise.all(ids.map((id) => stages.writer.write(id)));
    expect(ends.map((end) => end?.state).sort()).toEqual([
      ...['applied', 'applied', 'postponed', 'postponed', 'postponed'],
    ]);
    expect(written()).toBe(2);
    const waiting = await Promise.all(ids.map(async (id) => stages.writeBacks.get(id)));
    expect(waiting.filter((row) => row?.state === 'ready')).toMatchObject(
      Array.from({ length: 3 }, () => ({
        ...{ cappedBy: 'maxWritesPerDay', crashCount: 0, sent: {} },
        reason: `waits for the next day: limits.maxWritesPerDay (2) of store ${STORE} is reached`,
      })),
    );
    expect(await held()).toEqual([{ store: STORE, why: 'maxWritesPerDay', count: 3 }]);
    // The sweeper leaves them alone while the day lasts, and wakes as many as the next one allows.
    expect([await wake(), await stages.writeBacks.due(10)]).toEqual([0, []]);
    await pass(24);
    expect(await wake()).toBe(2);
    const due = await stages.writeBacks.due(10);
    expect(due).toHaveLength(2);
    for (const id of due) await stages.writer.write(id);
    expect([written(), await wake()]).toEqual([4, 0]);
    await pass(24);
    await wake();
    for (const id of await stages.writeBacks.due(10)) await stages.writer.write(id);
    expect(await states(ids)).toEqual(Array.from({ length: 5 }, () => 'applied'));
  });

  it('counts a write once when its worker died and another one finishes it', async () => {
    const [id] = await results({ maxWritesPerDay: 1 }, 1);
    if (id === undefined) throw new Error('no write-back');
    const limits = stages.connections.store(STORE).writeLimits;
    const sent = { title: { value: 'Generated 1', before: 'Product 1' } };
    expect(await stages.caps.begin({ id, store: STORE }, sent, limits)).toEqual({ kind: 'started' });
    expect(await stages.writer.write(id)).toMatchObject({ state: 'applied' });
  });

  it('does not count a result that has nothing to write', async () => {
    const [first, second] = await results({ maxWritesPerDay: 1 }, 2);
    stages.store.edit('1', { title: 'Generated 1', descriptionHtml: '<p>Generated 1</p>' });
    expect(await stages.writer.write(first ?? '')).toMatchObject({ state: 'skipped' });
    expect(await stages.writer.write(second ?? '')).toMatchObject({ state: 'applied' });
  });

  it('leaves reverts alone, and wakes what waits when it is raised', async () => {
    const [first, second] = await results({ maxWritesPerDay: 1 }, 2);
    await stages.writer.write(first ?? '');
    expect(await stages.writer.write(second ?? '')).toMatchObject({ state: 'postponed' });
    await stages.reverter.revert(first ?? '', PERSON);
    expect(stages.store.at('1').title).toBe('Product 1');
    stages.settings = { store: { limits: { maxWritesPerDay: 2 } }, workspace: {} };
    expect(await wake()).toBe(1);
    expect(await stages.writer.write(second ?? '')).toMatchObject({ state: 'applied' });
  });
});

describe('limits.maxWritesPerRun', () => {
  it('makes the rest wait for the next run', async () => {
    const [first, second] = await results({ maxWritesPerRun: 1, maxWritesPerDay: 10 }, 2);
    await stages.writer.write(first ?? '');
    expect(await stages.writer.write(second ?? '')).toMatchObject({
      state: 'postponed',
      reason: `waits for the next run: limits.maxWritesPerRun (1) of store ${STORE} is reached`,
    });
    await pass(48);
    expect(await wake()).toBe(1);
    await pass(-48);
    await stages.writer.write(second ?? '');
    expect(await wake()).toBe(0);
    expect(await held()).toEqual([{ store: STORE, why: 'maxWritesPerRun', count: 1 }]);
    await stages.sync();
    expect(await wake()).toBe(1);
    expect(await stages.writer.write(second ?? '')).toMatchObject({ state: 'applied' });
  });
});

const held = () => new StatusRepository(stages.db).held([STORE]);

it('wakes and polls no more rows than asked for, however the database joins them', async () => {
  const ids = await results({ maxWritesPerDay: 2 }, 5);
  for (const id of ids) await stages.writer.write(id);
  await pass(24);
  // A nested loop looks the limited rows up again for each row that it may update.
  const url = new URL(stages.url);
  url.searchParams.set(
    'options',
    ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material'].map((way) => `-c enable_${way}=off`).join(' '),
  );
  const source = await openDataSource({ url: url.href, poolSize: 1 });
  const db = new Database(source);
  try {
    expect(await new WriteCapRepository(db).wake(STORE, stages.connections.store(STORE).writeLimits)).toBe(2);
    await db.affected(`UPDATE generation_task SET state = 'requested', next_poll_at = now()`);
    expect(await new TaskRepository(db).takeDuePolls(2, 'default', 60)).toHaveLength(2);
  } finally {
    await source.destroy();
  }
});
