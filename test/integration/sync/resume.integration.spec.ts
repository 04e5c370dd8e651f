import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { CatalogOperation } from '../../support/fake-catalog.js';
import type { StoreOperation } from '../../support/fake-store.js';
import { Gate } from '../../support/call-script.js';
import { fakeIntervals } from '../../support/fake-intervals.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';
import { sqlRows } from '../../support/sql.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2), modelSnapshot(3));
  stages.catalog.requestsAtOnce = 1;
  stages.catalog.background = { polls: 1 };
});
afterEach(() => {
  jest.useRealTimers();
});

/**
 * Runs until the gate. There the first process pauses without database connections, as if it were dead, and a second one takes
 * the run over. The first one continues last. It must change nothing, because it has lost the run.
 */
async function dieAndResume(gate: Gate) {
  const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
  const first = stages.worker.work(id, new AbortController().signal);
  await gate.reached;
  await loseConnections();
  await stages.expireLease(id);
  const resumed = await stages.work(id);
  const after = await stages.contents();
  gate.open();
  expect(await first).toBeNull();
  expect(await stages.contents()).toBe(after);
  return resumed;
}

/** Ends the transactions of the process that waits at the gate. */
async function loseConnections(): Promise<void> {
  await sqlRows(
    stages.db,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
       AND state = 'idle in transaction'`,
  );
}

const END = { state: 'succeeded', counts: { seen: 3, created: 3, failed: 0, generationRequested: 3 } };

async function expectWhole(): Promise<void> {
  for (const id of [1, 2, 3]) {
    const { externalId } = snapshot(id);
    expect(stages.catalog.countOf(externalId)).toBe(1);
    expect(await stages.link(id)).toMatchObject({ state: 'linked', generationDue: false });
    expect(await stages.tasks.openFor(externalId)).toMatchObject({ taskId: expect.any(String) });
  }
  expect(stages.catalog.script.count('generate')).toBe(1);
}

describe('a process that dies', () => {
  const inStore: [string, StoreOperation, 'before' | 'after', object][] = [
    ['before the export is started', 'startExport', 'before', { startExport: 2 }],
    ['before the export’s handle is stored', 'startExport', 'after', { startExport: 2 }],
    ['while the export goes on', 'pollExport', 'before', { startExport: 1 }],
    ['while the export is read', 'batch', 'after', { startExport: 1 }],
  ];
  it.each(inStore)(
    '%s is replaced, and starts the export again only when it must',
    async (_when, operation, moment, calls) => {
      const gate = new Gate();
      stages.store.script[moment](operation, gate.hold);
      expect(await dieAndResume(gate)).toMatchObject(END);
      const counted = Object.keys(calls).map((name) => [
        name,
        stages.store.script.calls.filter((call) => call.operation === name).length,
      ]);
      expect(Object.fromEntries(counted)).toEqual(calls);
      await expectWhole();
    },
  );

  const inCatalog: [string, CatalogOperation, 'before' | 'after'][] = [
    ['while it looks for identifiers', 'listProducts', 'after'],
    ['before a product is sent', 'upsertProduct', 'before'],
    ['after a product was taken and before it is linked', 'upsertProduct', 'after'],
    ['while a product is created in the background', 'getBackgroundTask', 'after'],
    ['before variants are linked', 'iterateVariants', 'before'],
  ];
  it.each(inCatalog)('%s is replaced, to the same end', async (_when, operation, moment) => {
    const gate = new Gate();
    stages.catalog.script[moment](operation, gate.hold);
    expect(await dieAndResume(gate)).toMatchObject(END);
    await expectWhole();
  });

  it('after its plan was stored does not read the store again', async () => {
    const gate = new Gate();
    stages.catalog.script.before('upsertProduct', gate.hold);
    await dieAndResume(gate);
    expect(stages.store.script.count('readExport')).toBe(1);
  });

  it('before its request for content was heard does not ask twice', async () => {
    const gate = new Gate();
    stages.catalog.script.before('generate', gate.hold);
    const run = await dieAndResumeKeepingAnswer(gate);
    expect(run).toMatchObject({ state: 'succeeded', counts: { generationRequested: 3 } });
    expect(stages.catalog.script.count('generate')).toBe(1);
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 3 });
  });

  it('after content was asked for still counts it', async () => {
    const gate = new Gate();
    stages.catalog.script.after('generate', gate.hold);
    const run = await dieAndResumeKeepingAnswer(gate);
    expect(run).toMatchObject({ state: 'succeeded', counts: { created: 3, generationRequested: 3 } });
    expect(stages.catalog.script.count('generate')).toBe(1);
  });
});

/** Like `dieAndResume`, but the first process keeps its connections: it may store the answer that it still receives. */
async function dieAndResumeKeepingAnswer(gate: Gate) {
  const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
  const first = stages.worker.work(id, new AbortController().signal);
  await gate.reached;
  await stages.expireLease(id);
  const resumed = await stages.work(id);
  gate.open();
  expect(await first).toBeNull();
  expect(await stages.runs.get(id)).toEqual(resumed);
  return resumed;
}

it('a worker whose run was taken over stops sending at its next heartbeat', async () => {
  const gate = new Gate();
  stages.catalog.script.before('upsertProduct', gate.hold);
  const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
  fakeIntervals();
  const first = stages.worker.work(id, new AbortController().signal);
  await gate.reached;
  const heard = Promise.withResolvers<object | null>();
  const { runs } = stages;
  const keepLease = runs.keepLease.bind(runs);
  runs.keepLease = async (...lease) => {
    const kept = await keepLease(...lease);
    heard.resolve(kept);
    return kept;
  };
  await stages.expireLease(id);
  await runs.claim(id, 'another worker');
  jest.advanceTimersByTime(6_000);
  expect(await heard.promise).toBeNull();
  runs.keepLease = keepLease;
  gate.open();
  expect(await first).toBeNull();
  expect(stages.catalog.script.count('upsertProduct')).toBe(1);
  // Actions that were not sent belong to the other worker, and are not failures of the products.
  const states = (await stages.actionsOf(id)).map(({ state }) => state);
  expect(states).not.toContain('failed');
  expect(states).toContain('planned');
});

describe('the steps of a run', () => {
  const stepsOf = async (id: string) => (await stages.runs.get(id))?.steps.map(({ step }) => step);

  /** Works until the gate before the first product. */
  async function toFirstProduct() {
    const gate = new Gate();
    stages.catalog.script.before('upsertProduct', gate.hold);
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    const stop = new AbortController();
    const worked = stages.worker.work(id, stop.signal);
    await gate.reached;
    return { id, gate, stop, worked };
  }

  it('are in its row after a heartbeat', async () => {
    fakeIntervals();
    const { id, gate, worked } = await toFirstProduct();
    expect(await stepsOf(id)).toEqual(['export', 'plan']);
    jest.advanceTimersByTime(6_000);
    const written = async () => (await stepsOf(id))?.join() === 'export,plan,apply';
    await until('the steps are written', written, 10_000);
    gate.open();
    await worked;
  });

  it('are kept when it is handed on, and those of the next worker follow', async () => {
    const { id, gate, stop, worked } = await toFirstProduct();
    stop.abort();
    gate.open();
    expect(await worked).toBeNull();
    expect(await stepsOf(id)).toEqual(['export', 'plan', 'apply']);
    await stages.work(id);
    expect(await stepsOf(id)).toEqual(['export', 'plan', 'apply', 'apply', 'creations', 'generation']);
  });
});

describe('a worker whose heartbeat has not noticed yet', () => {
  /** Its first product stands at the gate; returns how many it has sent once it has given up. */
  async function sentAfter(meanwhile: (runId: string) => Promise<unknown>): Promise<number> {
    stages.store.put(...Array.from({ length: 12 }, (_, index) => snapshot(index + 1)));
    const gate = new Gate();
    stages.catalog.script.before('upsertProduct', gate.hold);
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    const first = stages.worker.work(id, new AbortController().signal);
    await gate.reached;
    try {
      await meanwhile(id);
    } finally {
      gate.open();
    }
    expect(await first).toBeNull();
    expect((await stages.actionsOf(id)).map(({ state }) => state)).not.toContain('failed');
    return stages.catalog.script.count('upsertProduct');
  }

  it('begins nothing more once another has the run', async () => {
    let started = 0;
    const sent = await sentAfter(async (id) => {
      await stages.expireLease(id);
      const taken = await stages.runs.claim(id, 'another worker');
      const actions = await stages.actionsOf(id);
      started = actions.filter((action) => BigInt(action.id) <= BigInt(taken?.startedUpTo ?? 0)).length;
      expect(started).toBeLessThan(actions.length);
    });
    // Those that the run's row named as started when it was taken. The other worker looks for them before it sends.
    expect(sent).toBeLessThanOrEqual(started);
  });

  it('sends nothing more after it stood still for so long that another may have it', async () => {
    const now = performance.now.bind(performance);
    let stoodStillMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + stoodStillMs);
    const sent = await sentAfter(() => {
      stoodStillMs = 30_000;
      return Promise.resolve();
    });
    clock.mockRestore();
    expect(sent).toBe(1);
  });
});

describe('an export', () => {
  it('that is running is adopted by the process that comes after', async () => {
    stages.store.exportStates = [{ status: 'running', objects: 1 }];
    const gate = new Gate();
    stages.store.script.after('pollExport', gate.hold);
    const run = await dieAndResume(gate);
    expect(run).toMatchObject(END);
    expect(stages.store.script.count('startExport')).toBe(1);
  });

  it('that began before an event leaves it to the next run, whichever attempt reads it', async () => {
    stages.store.exportStates = [{ status: 'running', objects: 1 }];
    const gate = new Gate();
    stages.store.script.after('pollExport', gate.hold);
    const resumed = dieAndResume(gate);
    await gate.reached;
    await stages.db.affected(
      `INSERT INTO announced_product (external_id, store, store_id, announced_at) VALUES ($1, $2, '1', clock_timestamp())`,
      [snapshot(1).externalId, STORE],
    );
    expect(await resumed).toMatchObject(END);
    expect(await sqlRows(stages.db, 'SELECT store_id FROM announced_product')).toEqual([{ storeId: '1' }]);
  });

  it('that failed is forgotten, and the next attempt starts another', async () => {
    stages.store.exportStates = [{ status: 'failed', reason: 'CANCELED' }];
    const failed = await stages.sync();
    expect(failed).toMatchObject({ state: 'failed', operation: null, errorCode: 'transient' });
    expect(failed.error).toContain('CANCELED');
    await stages.db.affected(`UPDATE sync_run SET retry_at = now() WHERE id = $1`, [failed.id]);
    await stages.runs.requeueDue();
    expect(await stages.work(failed.id)).toMatchObject({ id: failed.id, state: 'succeeded' });
    expect(stages.store.script.count('startExport')).toBe(2);
  });

  it('that breaks off in the middle leaves nothing of its plan', async () => {
    stages.store.script.after('batch', () => undefined);
    stages.store.script.after('batch', () => {
      throw new Error('unforeseen');
    });
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'failed', phase: 'extract' });
    expect(await stages.actionsOf(run.id)).toEqual([]);
    expect((await stages.state.store(STORE))?.watermark).toBeNull();
  });
});
