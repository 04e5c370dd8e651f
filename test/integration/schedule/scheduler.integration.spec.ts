import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SchedulerRegistry } from '@nestjs/schedule';
import { RunRequests } from '../../../src/connections/run-requests.js';
import { refusal } from '../../support/fake-catalog.js';
import { modelSnapshot, snapshot } from '../../support/fake-store.js';
import { receive, resultOf } from '../../support/results.js';
import { IDLE, Schedulers } from '../../support/schedulers.js';
import { OTHER_STORE, Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
let schedulers: Schedulers;

beforeEach(async () => {
  await stages.reset();
  schedulers = new Schedulers(stages);
});
afterEach(() => {
  schedulers.stop();
});

const SLOT = new Date('2026-11-20T02:00:00Z');
const DAY_MS = 86_400_000;

async function tick(slot: Date): Promise<void> {
  await schedulers.schedules(slot).tick(stages.connections.store(STORE), slot);
}

/** Works whatever run is active. */
async function workAll(): Promise<void> {
  for (const id of await stages.runs.unattended()) await stages.work(id);
}

const runs = () => stages.runs.latest(STORE, 20);

describe('a tick', () => {
  it('of replicas with skewed clocks is one run of one slot', async () => {
    const replicas = [-400, 0, 1, 250, 900, 15_000, 60_000].map((skew) => {
      const now = new Date(SLOT.getTime() - 120_000);
      return { now, skew, schedules: schedulers.schedules(now) };
    });
    const look = () => Promise.all(replicas.map(({ schedules }) => schedules.runDue()));
    await look();
    for (const { now, skew } of replicas) now.setTime(SLOT.getTime() + skew);
    await look();
    expect(await runs()).toMatchObject([{ slot: SLOT, trigger: 'schedule', state: 'queued' }]);
  });

  it('that a replica fires late makes no second run, also when the first has ended', async () => {
    await tick(SLOT);
    await workAll();
    schedulers.enqueued = [];
    await tick(SLOT);
    expect(await runs()).toHaveLength(1);
    expect(schedulers.enqueued).toEqual([]);
  });

  it('while a run is active joins it', async () => {
    const asked = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    await tick(SLOT);
    expect(await runs()).toMatchObject([{ id: asked.id, slot: null }]);
    expect(schedulers.enqueued).toEqual([`runs ${asked.id}`]);
  });

  it('that fails is repeated each second until it succeeds, logged once, and holds up no other store', async () => {
    const now = new Date(SLOT.getTime() - 1_000);
    const schedules = schedulers.schedules(now);
    await schedules.runDue();
    expect(schedulers.enqueued).toEqual([]);
    const down = failOf(STORE);
    for (let second = 0; second < 3; second += 1) {
      now.setTime(SLOT.getTime() + second * 1_000);
      await schedules.runDue();
    }
    expect(schedulers.warned).toEqual([expect.stringContaining('no connection')]);
    expect(await runs()).toEqual([]);
    expect(await stages.runs.latest(OTHER_STORE, 20)).toMatchObject([{ slot: SLOT }]);
    down.mockRestore();
    for (let second = 0; second < 3; second += 1) await schedules.runDue();
    expect(await runs()).toMatchObject([{ slot: SLOT, trigger: 'schedule', state: 'queued' }]);
    expect(schedulers.enqueued).toHaveLength(2);
  });

  it('makes every seventh run a full one, and the first', async () => {
    stages.settings = { store: { schedule: { fullEvery: 3 } }, workspace: {} };
    for (let night = 0; night < 7; night += 1) {
      await tick(new Date(SLOT.getTime() + night * DAY_MS));
      await workAll();
    }
    const kinds = (await runs()).map((run) => run.kind).reverse();
    expect(kinds).toEqual([
      ...['full', 'incremental', 'incremental'],
      ...['full', 'incremental', 'incremental', 'full'],
    ]);
  });

  it('counts its own runs alone: those of events do not bring the next full one forward', async () => {
    await tick(SLOT);
    await workAll();
    for (let event = 0; event < 8; event += 1) {
      const { id } = await stages.requests.request({ store: STORE, full: false, trigger: 'event' });
      await stages.work(id);
    }
    await tick(new Date(SLOT.getTime() + DAY_MS));
    expect((await runs())[0]).toMatchObject({ kind: 'incremental', trigger: 'schedule' });
  });
});

/** Until the result is restored, no run of this store can be requested. */
function failOf(store: string) {
  return jest
    .spyOn(RunRequests.prototype, 'fullIsDue')
    .mockImplementation((key) =>
      key === store ? Promise.reject(new Error('no connection')) : Promise.resolve(true),
    );
}

describe('a slot that comes due while another run is active', () => {
  it('has its run after that one, once for all replicas', async () => {
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    await Promise.all(Array.from({ length: 3 }, () => tick(SLOT)));
    expect(await runs()).toHaveLength(1);
    expect(await stages.requests.requestSlotsPutOff()).toEqual([]);
    await stages.work(id);
    const made = await Promise.all(Array.from({ length: 3 }, () => stages.requests.requestSlotsPutOff()));
    expect(made.flat()).toHaveLength(1);
    expect((await runs()).map((run) => run.slot?.getTime() ?? null)).toEqual([SLOT.getTime(), null]);
  });

  it('is not put off when the active run is its own', async () => {
    for (let replica = 0; replica < 2; replica += 1) await tick(SLOT);
    await stages.work((await runs())[0]!.id);
    expect(await stages.requests.requestSlotsPutOff()).toEqual([]);
  });
});

describe('a start', () => {
  const started = async (now: Date): Promise<void> => {
    const before = schedulers.logged.length + schedulers.enqueued.length;
    schedulers.scheduler(now).start();
    // The first sweep and the look back begin together; both have asked the database twice at most when these are answered.
    for (
      let round = 0;
      round < 20 && schedulers.logged.length + schedulers.enqueued.length === before;
      round += 1
    )
      await stages.runs.latest(STORE, 1);
  };

  const hadRun = async (at: Date): Promise<void> => {
    await stages.sync();
    await stages.db.affected('UPDATE sync_run SET created_at = $1', [at]);
  };

  it('catches up on a slot that passed while no process ran, once for all replicas', async () => {
    await hadRun(new Date(SLOT.getTime() - DAY_MS));
    const now = new Date(SLOT.getTime() + 3_600_000);
    await Promise.all([started(now), started(now), started(now)]);
    expect(await runs()).toHaveLength(2);
    expect((await runs()).filter((run) => run.slot?.getTime() === SLOT.getTime())).toHaveLength(1);
  });

  it.each([
    ['has had its run', new Date(SLOT.getTime() + 1000), new Date(SLOT.getTime() + 3_600_000)],
    ['is long past', new Date(SLOT.getTime() - DAY_MS), new Date(SLOT.getTime() + 7 * 3_600_000)],
  ])('makes up no slot that %s', async (_case, ranAt, now) => {
    await hadRun(ranAt);
    await started(now);
    expect(await runs()).toHaveLength(1);
  });

  it('catches up once the database answers', async () => {
    await hadRun(new Date(SLOT.getTime() - DAY_MS));
    const schedules = schedulers.schedules(new Date(SLOT.getTime() + 3_600_000));
    const down = failOf(STORE);
    await schedules.runDue();
    expect(await runs()).toHaveLength(1);
    down.mockRestore();
    await schedules.runDue();
    expect((await runs()).map(({ slot }) => slot)).toEqual([SLOT, null]);
  });

  it('leaves a store that never ran to its first tick', async () => {
    await started(new Date(SLOT.getTime() + 3_600_000));
    expect(await runs()).toEqual([]);
  });
});

describe('a stopped scheduler', () => {
  it('leaves no timer behind, also when a sweep was in progress that has more to do', async () => {
    const registry = new SchedulerRegistry();
    const queue = Promise.withResolvers<number>();
    const asked = Promise.withResolvers<undefined>();
    const waiting = (): Promise<number> => {
      asked.resolve(undefined);
      return queue.promise;
    };
    const made = schedulers.scheduler(SLOT, { registry, pressure: { waiting } });
    made.start();
    await asked.promise;
    expect(registry.getTimeouts()).not.toEqual([]);
    made.stop();
    const timers = (): readonly string[] => [...registry.getTimeouts(), ...registry.getIntervals()];
    expect(timers()).toEqual([]);
    queue.resolve(Number.MAX_SAFE_INTEGER);
    // The sweep's last step asks the database; these answers come after its own.
    for (let round = 0; round < 20; round += 1) await stages.runs.latest(STORE, 1);
    expect(timers()).toEqual([]);
  });

  it('warns of no step of a sweep that the stop interrupts, and begins no further one', async () => {
    const queue = Promise.withResolvers<number>();
    const asked = Promise.withResolvers<undefined>();
    let questions = 0;
    const waiting = (): Promise<number> => {
      questions += 1;
      asked.resolve(undefined);
      return queue.promise;
    };
    schedulers.scheduler(SLOT, { pressure: { waiting } }).start();
    await asked.promise;
    schedulers.stop();
    const before = questions;
    queue.reject(new Error('the connection was closed'));
    await until('the step ends', () =>
      schedulers.logged.some((line) => line.includes('did not end before the stop')),
    );
    expect(schedulers.warned).toEqual([]);
    expect(questions).toBe(before);
  });
});

describe('a sweep', () => {
  it('enqueues every row that is due and that no worker has', async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
    const delivery = await receive(stages, await resultOf(stages, 1));
    const { id: run } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    await schedulers.reconciler().sweep();
    expect(schedulers.enqueued.sort()).toEqual([`deliveries ${delivery}`, `runs ${run}`]);
    const { writeBackId } = await stages.interpreter.interpret(delivery);
    schedulers.enqueued = [];
    await schedulers.reconciler().sweep();
    expect(schedulers.enqueued.sort()).toEqual([`runs ${run}`, `write-backs ${writeBackId ?? ''}`]);
  });

  it('takes up a run whose worker is gone, not one that is worked', async () => {
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    await stages.runs.claim(id, 'lease');
    await schedulers.reconciler().sweep();
    expect(schedulers.enqueued).toEqual([]);
    await stages.expireLease(id);
    await schedulers.reconciler().sweep();
    expect(schedulers.enqueued).toEqual([`runs ${id}`]);
  });

  it('queues a failed run again when its wait is over', async () => {
    stages.store.script.before('startExport', refusal('transient'));
    const run = await stages.sync();
    await schedulers.reconciler().sweep();
    expect(schedulers.enqueued).toEqual([]);
    await stages.db.affected('UPDATE sync_run SET retry_at = now()');
    await schedulers.reconciler().sweep();
    expect(schedulers.enqueued).toEqual([`runs ${run.id}`]);
  });

  it('has creations followed that outlived their run', async () => {
    stages.store.put(modelSnapshot(1));
    stages.catalog.background = { polls: 1000 };
    await stages.sync();
    await schedulers.reconciler().sweep();
    expect(schedulers.enqueued).toEqual([`reconcile creations:${STORE}`]);
  });

  it('adds no jobs for deliveries while enough jobs wait', async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
    await receive(stages, await resultOf(stages, 1));
    expect(await schedulers.reconciler({ waiting: () => Promise.resolve(100) }).sweep()).toBe(true);
    expect(schedulers.enqueued).toEqual([]);
  });

  it('enqueues the rows of a queue that does not answer: it may be back by then', async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
    const delivery = await receive(stages, await resultOf(stages, 1));
    await schedulers.reconciler({ waiting: () => Promise.resolve(null) }).sweep();
    expect(schedulers.enqueued).toEqual([`deliveries ${delivery}`]);
  });

  it('waits for no poll: those have a round of their own', async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
    await stages.db.affected('UPDATE generation_task SET next_poll_at = now()');
    stages.catalog.script.forget();
    await schedulers.reconciler().sweep();
    expect(stages.catalog.script.calls).toEqual([]);
    await schedulers.sides().poll(stages.connections.workspaces[0]!);
    expect(stages.catalog.script.count('getBackgroundTask')).toBe(1);
  });

  it('goes on when one of its steps fails, and says which', async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
    const delivery = await receive(stages, await resultOf(stages, 1));
    const failing = schedulers.reconciler(IDLE, async (queue, ids) => {
      if (queue === 'runs') throw new Error('queue away');
      return schedulers.enqueueMany(queue, ids);
    });
    await failing.sweep();
    expect(schedulers.enqueued).toEqual([`deliveries ${delivery}`]);
    expect(schedulers.logged).toEqual([expect.stringContaining('"what":"runs","err":"queue away"')]);
  });
});

describe('a look at the webhook slots', () => {
  const PUBLIC = 'https://sync.example.com';
  const OURS = { url: `${PUBLIC}/webhooks/catalog/${WORKSPACE}`, hmac_secret: 'ours' };
  const FOREIGN = { url: 'https://elsewhere.example.com/hook' };
  const writes = () => stages.catalog.script.count('putWebhookSettings');
  const standing = async () => (await stages.state.workspace(WORKSPACE))?.webhookState;
  beforeEach(() => {
    stages.settings = { store: {}, workspace: { webhook: { hmacSecret: OURS.hmac_secret } } };
  });

  it('fills one that vanished', async () => {
    const looking = schedulers.sides(PUBLIC);
    await looking.checkSlots({ rewrite: true });
    expect(stages.catalog.webhook).toMatchObject(OURS);
    stages.catalog.webhook = null;
    await looking.checkSlots({ rewrite: false });
    expect(stages.catalog.webhook).toMatchObject(OURS);
    expect(await standing()).toBe('ours');
    expect(schedulers.logged.at(-1)).toContain('webhook slot registered');
  });

  it('leaves one that is ours as it is, except at the start', async () => {
    stages.catalog.webhook = OURS;
    await schedulers.sides(PUBLIC).checkSlots({ rewrite: false });
    expect(writes()).toBe(0);
    await schedulers.sides(PUBLIC).checkSlots({ rewrite: true });
    expect(writes()).toBe(1);
  });

  it.each([
    ['another secret', { hmac_secret: 'before' }],
    ['fewer actions', { actions: ['product_generated'] }],
  ])('repairs one with our URL and %s', async (_what, other) => {
    stages.catalog.webhook = { ...OURS, ...other };
    await schedulers.sides(PUBLIC).checkSlots({ rewrite: false });
    expect(stages.catalog.webhook).toMatchObject(OURS);
    expect(stages.catalog.webhook.actions).toHaveLength(3);
    expect(await standing()).toBe('ours');
    expect(schedulers.logged.at(-1)).toContain('it was written again');
  });

  it.each([true, false])(
    'warns of one that was taken over, and never takes it back (start: %p)',
    async (rewrite) => {
      await schedulers.sides(PUBLIC).checkSlots({ rewrite: true });
      const before = writes();
      stages.catalog.webhook = FOREIGN;
      await schedulers.sides(PUBLIC).checkSlots({ rewrite });
      expect(stages.catalog.webhook).toEqual(FOREIGN);
      expect(writes()).toBe(before);
      expect(await standing()).toBe('foreign');
      expect(schedulers.logged.at(-1)).toMatch(/elsewhere\.example\.com.*results come by polling/);
    },
  );

  it.each([
    ['without a public URL', undefined, {}],
    ['that the settings leave alone', PUBLIC, { register: false }],
  ])('asks nobody about one %s', async (_which, publicUrl, webhook) => {
    stages.settings = { store: {}, workspace: { webhook: { hmacSecret: 'ours', ...webhook } } };
    await schedulers.sides(publicUrl).checkSlots({ rewrite: true });
    expect(stages.catalog.script.count('getWebhookSettings')).toBe(0);
    expect(writes()).toBe(0);
  });
});

it('a workspace’s pause does not keep its runs from being asked for', async () => {
  await stages.pauseCatalog('refused');
  await tick(SLOT);
  expect(await runs()).toHaveLength(1);
});

it('a round that a stop overtakes may fail without a warning: its connections are closed', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const held = jest.spyOn(RunRequests.prototype, 'requestSlotsPutOff').mockReturnValue(promise);
  const scheduler = schedulers.scheduler(SLOT);
  scheduler.start();
  await until('the round is under way', () => held.mock.calls.length > 0);
  scheduler.stop();
  reject(new Error('the pool is closed'));
  await until('the round has ended', () => schedulers.logged.some((line) => line.includes('pool is closed')));
  held.mockRestore();
  expect(schedulers.warned.join()).not.toContain('the pool is closed');
});
