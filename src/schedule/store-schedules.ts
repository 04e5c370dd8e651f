import { Inject, Injectable } from '@nestjs/common';
import { CronJob } from 'cron';
import pLimit from 'p-limit';
import { Connections, type Store } from '../connections/connections.js';
import { RunRequests } from '../connections/run-requests.js';
import { startDelayMs } from '../connections/start-times.js';
import { OwedRepository } from '../persistence/owed.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { JobProducer } from '../queue/index.js';
import { Clock } from '../runtime/clock.js';
import { latestSlot } from './slots.js';
import { Timers } from './timers.js';

const TICKS_AT_ONCE = 4;
/** Events arrive in bursts, so a run waits until none has arrived for this long. */
const EVENTS_QUIET_MS = 1_000;

/**
 * Requests the runs of stores: by their schedules and by their events. A tick of a schedule only inserts a due run, and the unique slot
 * makes it one run across replicas (docs/decisions/0001-rows-before-queues.md). A tick that passed while no process ran is caught up at
 * start, and one that failed, because the database was down, as soon as it answers.
 */
@Injectable()
export class StoreSchedules {
  /** A thousand stores may be due at the same minute. All at once would wait for database connections until their time is up. */
  readonly #ticks = pLimit(TICKS_AT_ONCE);
  /** Ticks and looks back that failed, by store. */
  readonly #missed = new Map<string, () => Promise<void>>();
  #startedAt: Date;

  constructor(
    private readonly timers: Timers,
    private readonly connections: Connections,
    private readonly requests: RunRequests,
    private readonly runs: RunRepository,
    private readonly owed: OwedRepository,
    @Inject(JobProducer) private readonly jobs: Pick<JobProducer, 'enqueue'>,
    private readonly clock: Clock,
  ) {
    this.#startedAt = clock.now();
  }

  begin(): void {
    this.#startedAt = this.clock.now();
    for (const store of this.connections.stores) {
      const { cron, timezone } = store.settings.schedule;
      const job = CronJob.from({
        cronTime: cron,
        timeZone: timezone,
        onTick: () => {
          this.#tickIn(startDelayMs(store.settings), store);
        },
      });
      this.timers.registry.addCronJob(`sync ${store.key}`, job);
      job.start();
      this.#awaitStart(store);
      void this.timers.guarded('schedule', () =>
        this.#ticks(() => this.#orMissed(`look back ${store.key}`, () => this.#makeUp(store))),
      );
    }
  }

  /** Begins again with the stores and schedules of a new configuration. */
  beginAgain(): void {
    const { registry } = this.timers;
    for (const name of registry.getCronJobs().keys()) registry.deleteCronJob(name);
    this.begin();
  }

  /** The store's run starts in `ms` milliseconds, if this process still works then. */
  #tickIn(ms: number, store: Store): void {
    const tick = (): void => void this.timers.guarded('schedule', () => this.#ticks(() => this.due(store)));
    if (ms === 0) {
      tick();
      return;
    }
    // Named by its time: a frequent schedule has several starts ahead.
    const name = `start of ${store.key} at ${new Date(this.clock.now().getTime() + ms).toISOString()}`;
    this.timers.soon(name, ms, () => {
      this.timers.registry.deleteTimeout(name);
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
      await this.timers.guarded('schedule', () => this.#orMissed(name, work));
    }
  }

  async #orMissed(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.timers.stopped) this.#missed.set(name, work);
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
    this.timers.log.info(
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

  /** Requests the runs of slots that came due while another run was active. */
  async runPutOffSlots(): Promise<void> {
    for (const { store, id } of await this.requests.requestSlotsPutOff()) {
      this.timers.log.info({ store, runId: id }, 'scheduled run, put off until the run before it ended');
      await this.jobs.enqueue('runs', id);
    }
  }

  /** Requests a run for each store whose events wait for one. */
  async runEvents(): Promise<void> {
    for (const key of await this.owed.storesAnnounced(EVENTS_QUIET_MS)) {
      if (!this.connections.findStore(key)) continue;
      const run = await this.requests.request({ store: key, full: false, trigger: 'event' });
      // An active run has already begun to read. These events wait for the next run.
      if (run.created) await this.jobs.enqueue('runs', run.id);
    }
  }
}
