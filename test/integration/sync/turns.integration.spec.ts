import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runMessages } from '../../../src/operations/messages.js';
import { presentRun } from '../../../src/operations/present-run.js';
import { Gate } from '../../support/call-script.js';
import { refusal } from '../../support/fake-catalog.js';
import { otherSnapshot, snapshot } from '../../support/fake-store.js';
import { OTHER_STORE, Stages, STORE } from '../../support/stages.js';

const RUNNING = new AbortController().signal;

let stages: Stages;
beforeAll(async () => {
  stages = await Stages.open();
});
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
});
afterAll(async () => stages.close());

async function due(store: string, secondsAgo: number): Promise<string> {
  const { id } = await stages.requests.request({ store, full: true, trigger: 'schedule' });
  await stages.db.affected(`UPDATE sync_run SET turn_at = now() - $2 * interval '1 second' WHERE id = $1`, [
    id,
    secondsAgo,
  ]);
  return id;
}

/** Delays answers, so that the worker learns of other runs while actions are left. */
function answersSlowly(): void {
  const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
  stages.catalog.script.after('upsertProduct', wait, 60);
}

it('a worker takes the run that is due longest, whichever job woke it', async () => {
  const later = await due(STORE, 10);
  const first = await due(OTHER_STORE, 20);
  expect(await stages.worker.workNext(RUNNING)).toMatchObject({ kind: 'ended', run: { id: first } });
  expect(await stages.worker.workNext(RUNNING)).toMatchObject({ kind: 'ended', run: { id: later } });
  expect(await stages.worker.workNext(RUNNING)).toEqual({ kind: 'none' });
});

it('two workers never take the same run', async () => {
  await due(STORE, 10);
  const worked = await Promise.all([stages.worker.workNext(RUNNING), stages.worker.workNext(RUNNING)]);
  expect(worked.map(({ kind }) => kind).sort()).toEqual(['ended', 'none']);
});

it('a large run lets one that waits have its worker, and goes on where it was', async () => {
  for (let id = 1; id <= 60; id += 1) stages.store.put(snapshot(id));
  stages.otherStore.put(otherSnapshot(900, 'SKU-900'));
  const large = await due(STORE, 60);
  const small = await due(OTHER_STORE, 5);
  answersSlowly();
  const turn = () => stages.worker.workNext(RUNNING, 0);
  expect(await turn()).toEqual({ kind: 'handed_on' });
  const sentBefore = stages.catalog.script.count('upsertProduct');
  expect(sentBefore).toBeLessThan(60);
  expect(await stages.runs.get(large)).toMatchObject({
    ...{ state: 'queued', phase: 'apply', attempts: 0, crashCount: 0, lease: null },
    phases: [{ step: 'export' }, { step: 'plan' }, { step: 'apply' }],
  });
  expect(await turn()).toMatchObject({ kind: 'ended', run: { id: small, state: 'succeeded' } });
  expect(await turn()).toMatchObject({
    kind: 'ended',
    run: { id: large, state: 'succeeded', attempts: 1, counts: { created: 60, failed: 0 } },
  });
  // No product was sent or looked for twice.
  expect(stages.catalog.script.count('upsertProduct')).toBe(61);
  expect(stages.catalog.products.size).toBe(61);
});

it('a run that waits for its store’s export lets others have its worker, and adopts the export later', async () => {
  stages.store.put(snapshot(1));
  const large = await due(STORE, 60);
  const small = await due(OTHER_STORE, 5);
  for (let poll = 0; poll < 4; poll += 1) stages.store.exportStates.push({ status: 'running', objects: 1 });
  stages.store.script.before('pollExport', () => new Promise((resolve) => setTimeout(resolve, 20)), 4);
  expect(await stages.worker.workNext(RUNNING, 0)).toEqual({ kind: 'handed_on' });
  expect(await stages.runs.get(large)).toMatchObject({
    ...{ state: 'queued', phase: 'extract', operation: 'export-1', attempts: 0, tookTurns: false },
  });
  expect(await stages.worker.workNext(RUNNING)).toMatchObject({ kind: 'ended', run: { id: small } });
  expect(await stages.worker.workNext(RUNNING)).toMatchObject({
    kind: 'ended',
    run: { id: large, state: 'succeeded', counts: { created: 1 } },
  });
  expect(stages.store.script.count('startExport')).toBe(1);
});

it('a run that is refused products keeps them failed over its turns, instead of trying them in each', async () => {
  for (let id = 1; id <= 60; id += 1) stages.store.put(snapshot(id));
  const large = await due(STORE, 60);
  await due(OTHER_STORE, 5);
  stages.catalog.script.before('upsertProduct', refusal('invalid'), 1);
  answersSlowly();
  expect(await stages.worker.workNext(RUNNING, 0)).toEqual({ kind: 'handed_on' });
  await stages.worker.workNext(RUNNING);
  expect(await stages.worker.workNext(RUNNING)).toMatchObject({
    run: { id: large, state: 'partial', counts: { created: 59, failed: 1 } },
  });
  expect(stages.catalog.script.count('upsertProduct')).toBe(60);
});

describe('a run that needs the catalog’s listing while another one reads it', () => {
  let reading: ReturnType<typeof stages.worker.workNext>;
  let gate: Gate;
  let readerFails: (() => void) | undefined;
  let waiting: string;
  beforeEach(async () => {
    stages.store.put(snapshot(1));
    stages.otherStore.put(otherSnapshot(900, 'SKU-900'));
    for (const store of [STORE, OTHER_STORE]) {
      await due(store, 60);
      await stages.worker.workNext(RUNNING);
    }
    await stages.db.affected('TRUNCATE catalog_listing, catalog_listed, catalog_holder');
    stages.catalog.script.forget();
    gate = new Gate();
    readerFails = undefined;
    stages.catalog.script.before('listProducts', async () => {
      await gate.hold();
      readerFails?.();
    });
    await due(STORE, 60);
    reading = stages.worker.workNext(RUNNING);
    await gate.reached;
    waiting = await due(OTHER_STORE, 5);
  });

  it('lets others have its worker, keeps its place, and goes on when the listing was read', async () => {
    const before = await stages.runs.get(waiting);
    expect(await stages.worker.workNext(RUNNING)).toEqual({ kind: 'handed_on' });
    expect(await stages.worker.workNext(RUNNING)).toEqual({ kind: 'waiting' });
    expect(await stages.runs.get(waiting)).toMatchObject({
      ...{ state: 'queued', attempts: 0, crashCount: 0, lease: null, turnAt: before?.turnAt },
    });
    expect(await stages.runs.someWait()).toBe(false);
    gate.open();
    expect(await reading).toMatchObject({ kind: 'ended', run: { state: 'succeeded' } });
    expect(await stages.worker.workNext(RUNNING)).toMatchObject({
      kind: 'ended',
      run: { id: waiting, state: 'succeeded', attempts: 1, notCompared: null },
    });
    expect(stages.catalog.script.count('listProducts')).toBe(1);
  });

  it('goes on when the reader fails', async () => {
    await stages.worker.workNext(RUNNING);
    readerFails = refusal('transient');
    gate.open();
    await reading;
    expect(await stages.worker.workNext(RUNNING)).toMatchObject({ kind: 'ended', run: { id: waiting } });
  });

  it('goes on when the reader’s lease has ended', async () => {
    await stages.worker.workNext(RUNNING);
    await stages.db.affected(`UPDATE catalog_listing SET lease_until = now() - interval '1 second'`);
    expect(await stages.worker.workNext(RUNNING)).toMatchObject({ kind: 'ended', run: { id: waiting } });
    gate.open();
    await reading;
  });

  it('says so, and ends at once when it is cancelled', async () => {
    await stages.worker.workNext(RUNNING);
    const run = await stages.runs.get(waiting);
    expect(run && presentRun(run).notes).toEqual([runMessages.waitsForListing]);
    await stages.runs.requestCancel(waiting, 'ada');
    expect(await stages.worker.workNext(RUNNING)).toMatchObject({ kind: 'ended', run: { id: waiting } });
    gate.open();
    await reading;
  });
});

it('a run keeps its worker while no other run waits', async () => {
  for (let id = 1; id <= 30; id += 1) stages.store.put(snapshot(id));
  await due(STORE, 60);
  expect(await stages.worker.workNext(RUNNING, 0)).toMatchObject({ kind: 'ended' });
});
