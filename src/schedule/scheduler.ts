import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CronJob } from 'cron';
import pLimit from 'p-limit';
import { errorLine } from '../domain/errors.js';
import { RunRepository } from '../persistence/run.repository.js';
import { StoreDayRepository } from '../persistence/store-day.repository.js';
import { StoreEventRepository } from '../persistence/store-event.repository.js';
import { Connections, type Store } from '../connections/connections.js';
import { Clock } from '../runtime/clock.js';
import { RunRequests } from '../connections/run-requests.js';
import { Logger } from '../runtime/logger.js';
import { JobProducer } from '../queue/index.js';
import { Reconciler } from './reconciler.js';
import { Retention } from './retention.js';
import { startDelayMs } from '../connections/start-times.js';
import { latestSlot } from './slots.js';

const TICKS_AT_ONCE = 4;
const POLLS_OF = 'polls of ';
const SWEEP_MS = 5_000;
/** The interval while more rows are due than one round handles. */
const SWEEP_AGAIN_MS = 1_000;
const SLOT_CHECK_MS = 600_000;
const SUBSCRIPTION_CHECK_MS = 6 * 3_600_000;
const RETENTION_MS = 6 * 3_600_000;
const DAY_COUNT_MS = 3_600_000;
/** The first retention waits, because other work has priority after a start. */
const FIRST_RETENTION_MS = 600_000;
/** Events arrive in bursts, so a run waits until none has arrived for this long. */
const EVENTS_QUIET_MS = 1_000;

/**
 * Runs the schedules. A tick of a store's schedule only inserts a due run, and the unique slot makes it one run
 * across replicas (docs/decisions/0001-rows-before-queues.md). A tick that passed while no process ran is caught up
 * at start, and one that failed, because the database was down, as soon as it answers.
 */
@Injectable()
export class Scheduler implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #log: Logger;
  /** A thousand stores may be due at the same minute. All at once would wait for database connections until their time is up. */
  readonly #ticks = pLimit(TICKS_AT_ONCE);
  /** Ticks and looks back that failed, by store. */
  readonly #missed = new Map<string, () => Promise<void>>();
  #startedAt: Date;
  #stopped = false;

  constructor(
    private readonly registry: SchedulerRegistry,
    private readonly connections: Connections,
    private readonly requests: RunRequests,
    private readonly runs: RunRepository,
    private readonly events: StoreEventRepository,
    private readonly reconciler: Reconciler,
    private readonly retention: Retention,
    private readonly days: StoreDayRepository,
    @Inject(JobProducer) private readonly jobs: Pick<JobProducer, 'enqueue'>,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'schedule' });
    this.#startedAt = clock.now();
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  onModuleDestroy(): void {
    this.stop();
  }

  start(): void {
    this.#startedAt = this.clock.now();
    this.#schedule();
    this.connections.onReplaced(() => {
      this.#reschedule();
    });
    const sweep = this.#every('sweep', SWEEP_MS, async () => {
      const more = await this.reconciler.sweep();
      await this.#runPutOffSlots();
      await this.#runEvents();
      if (more) this.#soon('sweep again', SWEEP_AGAIN_MS, sweep);
    });
    this.#pollWorkspaces();
    // Not a part of the sweep: one store whose tick always fails must not hold it back.
    this.#every('missed ticks', SWEEP_MS, () => this.repeatMissed());
    // Resume the work of earlier processes now, not after the first interval.
    sweep();
    this.#every('webhook slots', SLOT_CHECK_MS, () => this.reconciler.checkSlots({ rewrite: false }));
    this.#every('store events', SUBSCRIPTION_CHECK_MS, () => this.reconciler.keepSubscriptions());
    // At once, too: a process that restarts each hour would never count.
    this.#every('coverage', DAY_COUNT_MS, () => this.days.record())();
    const retention = this.#every('retention', RETENTION_MS, () => this.retention.pass());
    this.#soon('first retention', FIRST_RETENTION_MS, retention);
    void this.#guarded('webhook slots', () => this.reconciler.checkSlots({ rewrite: true }));
    void this.#guarded('store events', () => this.reconciler.keepSubscriptions());
  }

  #schedule(): void {
    for (const store of this.connections.stores) {
      const { cron, timezone } = store.settings.schedule;
      const job = CronJob.from({
        cronTime: cron,
        timeZone: timezone,
        onTick: () => {
          this.#tickIn(startDelayMs(store.settings), store);
        },
      });
      this.registry.addCronJob(`sync ${store.key}`, job);
      job.start();
      this.#awaitStart(store);
      void this.#guarded('schedule', () =>
        this.#ticks(() => this.#orMissed(`look back ${store.key}`, () => this.#makeUp(store))),
      );
    }
  }

  /** After a reload of the configuration: other stores, other schedules, other webhooks. */
  #reschedule(): void {
    if (this.#stopped) return;
    for (const name of this.registry.getCronJobs().keys()) this.registry.deleteCronJob(name);
    this.#startedAt = this.clock.now();
    this.#schedule();
    this.#pollWorkspaces();
    void this.#guarded('webhook slots', () => this.reconciler.checkSlots({ rewrite: true }));
    void this.#guarded('store events', () => this.reconciler.keepSubscriptions());
  }

  /**
   * Rounds of their own: slow answers to polls must not hold back runs, deliveries and events. Each round takes the workspace as it is
   * configured then.
   */
  #pollWorkspaces(): void {
    const { registry, connections } = this;
    const names = new Map(connections.workspaces.map(({ key }) => [`${POLLS_OF}${key}`, key]));
    for (const name of registry.getIntervals())
      if (name.startsWith(POLLS_OF) && !names.has(name)) registry.deleteInterval(name);
    for (const [name, key] of names) {
      if (registry.doesExist('interval', name)) continue;
      this.#every(name, SWEEP_MS, async () => {
        const workspace = connections.workspace(key);
        if (workspace !== undefined) await this.reconciler.poll(workspace);
      })();
    }
  }

  /** Removes every timer, so that none keeps the process alive. Work that is in progress ends, and starts no timer again. */
  stop(): void {
    this.#stopped = true;
    this.reconciler.stop();
    this.retention.stop();
    const { registry } = this;
    for (const name of registry.getTimeouts()) registry.deleteTimeout(name);
    for (const name of registry.getIntervals()) registry.deleteInterval(name);
    for (const name of registry.getCronJobs().keys()) registry.deleteCronJob(name);
  }

  /**
   * Rounds of one kind do not overlap within a process. Between processes, the rows ensure it. Returns a function
   * that starts a round.
   */
  #every(name: string, ms: number, work: () => Promise<void>): () => void {
    let running = false;
    const round = (): void => {
      if (running) return;
      running = true;
      void this.#guarded(name, work).finally(() => {
        running = false;
      });
    };
    this.registry.addInterval(name, setInterval(round, ms));
    return round;
  }

  #soon(name: string, ms: number, work: () => void): void {
    if (this.#stopped) return;

    const { registry } = this;
    if (registry.doesExist('timeout', name)) registry.deleteTimeout(name);
    registry.addTimeout(name, setTimeout(work, ms));
  }

  /** The store's run starts in `ms` milliseconds, if this process still works then. */
  #tickIn(ms: number, store: Store): void {
    const tick = (): void => void this.#guarded('schedule', () => this.#ticks(() => this.due(store)));
    if (ms === 0) {
      tick();
      return;
    }
    // Named by its time: a frequent schedule has several starts ahead.
    const name = `start of ${store.key} at ${new Date(this.clock.now().getTime() + ms).toISOString()}`;
    this.#soon(name, ms, () => {
      this.registry.deleteTimeout(name);
      tick();
    });
  }

  /** A tick of the store's schedule. Throws as `tick` does; `repeatMissed` repeats one that failed. */
  async due(store: Pick<Store, 'key'>): Promise<void> {
    await this.#orMissed(`tick ${store.key}`, () => this.tick(store));
  }

  /** Repeats the failed ticks. A tick that fails again is logged, and stays for the next time. */
  async repeatMissed(): Promise<void> {
    for (const [name, work] of [...this.#missed]) {
      this.#missed.delete(name);
      await this.#guarded('schedule', () => this.#orMissed(name, work));
    }
  }

  async #orMissed(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#stopped) this.#missed.set(name, work);
      throw error;
    }
  }

  /** Requests the run for the latest slot whose start is due. Several replicas may do so; the result is one run. */
  async tick({ key }: Pick<Store, 'key'>): Promise<void> {
    // A reload of the configuration may have removed or changed the store since the timer was set.
    const store = this.connections.findStore(key);
    if (store === undefined) return;
    const { cron, timezone } = store.settings.schedule;
    // Timers may fire slightly before the time of the clock that computes slots.
    const now = new Date(this.clock.now().getTime() + 500 - startDelayMs(store.settings));
    const slot = latestSlot(cron, timezone, now);
    if (slot === null) return;
    const full = await this.requests.fullIsDue(store.key);
    const run = await this.requests.requestSlot({ store: store.key, full, trigger: 'schedule', slot });
    if (run === null) return;
    // Another run is active: this slot's run follows it.
    if (!run.created) await this.requests.putOffSlot(store.key, slot);
    this.#log.info(
      { store: store.key, runId: run.id, slot: slot.toISOString() },
      run.created ? 'scheduled run' : 'a run is active; the scheduled run follows it',
    );
    await this.jobs.enqueue('runs', run.id);
  }

  /** A slot that passed while no process ran. A store that never ran waits for its first tick. */
  async #makeUp(store: Store): Promise<void> {
    const [newest] = await this.runs.latest(store.key, 1);
    if (!newest) return;
    const { cron, timezone } = store.settings.schedule;
    const delayMs = startDelayMs(store.settings);
    const slot = latestSlot(cron, timezone, new Date(this.#startedAt.getTime() - delayMs));
    if (slot === null || slot.getTime() + delayMs <= newest.createdAt.getTime()) return;
    await this.tick(store);
  }

  /** A slot whose tick passed before this process started, and whose start is still to come (`schedule.spread`). */
  #awaitStart(store: Store): void {
    const { cron, timezone } = store.settings.schedule;
    const slot = latestSlot(cron, timezone, this.#startedAt);
    const waitMs =
      slot === null ? 0 : slot.getTime() + startDelayMs(store.settings) - this.#startedAt.getTime();
    if (waitMs > 0) this.#tickIn(waitMs, store);
  }

  async #runPutOffSlots(): Promise<void> {
    for (const { store, id } of await this.requests.requestSlotsPutOff()) {
      this.#log.info({ store, runId: id }, 'scheduled run, put off until the run before it ended');
      await this.jobs.enqueue('runs', id);
    }
  }

  async #runEvents(): Promise<void> {
    for (const key of await this.events.storesDue(EVENTS_QUIET_MS)) {
      if (!this.connections.findStore(key)) continue;
      const run = await this.requests.request({ store: key, full: false, trigger: 'event' });
      // An active run has already taken its events. These wait for the next run.
      if (run.created) await this.jobs.enqueue('runs', run.id);
    }
  }

  async #guarded(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const failure = { what, err: errorLine(error) };
      // Its connections are closed by now. The next process does the work.
      if (this.#stopped) this.#log.debug(failure, 'scheduled work did not end before the stop');
      else this.#log.warn(failure, 'scheduled work failed; it is tried again');
    }
  }
}
