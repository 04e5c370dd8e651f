import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Connections, type Store } from '../connections/connections.js';
import { RunRequests } from '../connections/run-requests.js';
import { nextStart } from '../connections/next-start.js';
import { OwedRepository } from '../persistence/owed.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { JobProducer } from '../queue/index.js';
import { Clock } from '../runtime/clock.js';
import { Timers } from './timers.js';

const STARTS_AT_ONCE = 4;
/** Events arrive in bursts, so a run waits until none has arrived for this long. */
const EVENTS_QUIET_MS = 1_000;
/** How far back a missed start is made up: a night's restart, not a week's holiday. */
const MADE_UP_MS = 6 * 3_600_000;

/** What this process knows of a store's schedule. */
interface StartTimes {
  nextMs: number;
  /** A slot may have passed while no process ran, or before a reload of the configuration. */
  isToLookBack: boolean;
  hasFailed: boolean;
}

/**
 * Requests the runs of stores: by their schedules and by their events. A start only inserts a due run, and the unique slot
 * makes it one run across replicas (docs/decisions/0001-rows-before-queues.md). A slot that passed while no process ran is caught up at
 * start, and a start that failed, because the database was down, as soon as it answers.
 */
@Injectable()
export class StoreSchedules {
  /** A thousand stores may be due at the same minute. All at once would wait for database connections until their time is up. */
  readonly #places = pLimit(STARTS_AT_ONCE);
  /** A store that a reload of the configuration changed is another object, and begins anew. */
  readonly #times = new WeakMap<Store, StartTimes>();

  constructor(
    private readonly timers: Timers,
    private readonly connections: Connections,
    private readonly requests: RunRequests,
    private readonly runs: RunRepository,
    private readonly owed: OwedRepository,
    @Inject(JobProducer) private readonly jobs: Pick<JobProducer, 'enqueue'>,
    private readonly clock: Clock,
  ) {}

  /** Starts the runs that are due by the schedules. One that fails is due again in the next round. */
  async runDue(): Promise<void> {
    const now = this.clock.now();
    const starts = this.connections.stores.map(async (store) => {
      const times = this.#timesOf(store, now);
      if (times.isToLookBack || times.nextMs <= now.getTime())
        await this.#places(() => this.#startOrRepeat(store, times, now));
    });
    await Promise.all(starts);
  }

  #timesOf(store: Store, now: Date): StartTimes {
    const known = this.#times.get(store);
    if (known !== undefined) return known;
    const nextMs = nextStart(store.settings, now).getTime();
    const times = { nextMs, isToLookBack: true, hasFailed: false };
    this.#times.set(store, times);
    return times;
  }

  async #startOrRepeat(store: Store, times: StartTimes, now: Date): Promise<void> {
    await this.timers.guarded('schedule', async () => {
      try {
        const slot = await this.#dueSlot(store, times, now);
        if (slot !== null) await this.tick(store, slot);
        times.nextMs = nextStart(store.settings, now).getTime();
        times.isToLookBack = false;
        times.hasFailed = false;
      } catch (error) {
        // Logged once, and not in each round until the database answers.
        if (times.hasFailed) return;
        times.hasFailed = true;
        throw error;
      }
    });
  }

  /**
   * The time of the schedule that has come, or that passed while no process ran; null for none. Every replica computes the same one,
   * whenever its timer fires. A store that never ran waits for its first slot.
   */
  async #dueSlot(store: Store, { nextMs }: StartTimes, now: Date): Promise<Date | null> {
    const [newest] = nextMs <= now.getTime() ? [] : await this.runs.latest(store.key, 1);
    const afterMs = newest?.createdAt.getTime() ?? nextMs - 1;
    const slot = nextStart(store.settings, new Date(Math.max(afterMs, now.getTime() - MADE_UP_MS)));
    return slot.getTime() <= now.getTime() ? slot : null;
  }

  /** Requests the run of a slot. Several replicas may do so; the result is one run. */
  async tick(store: Store, slot: Date): Promise<void> {
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

  /** Requests the runs of slots that came due while another run was active. */
  async runPutOffSlots(): Promise<void> {
    const made = await this.requests.requestSlotsPutOff((store, work) =>
      this.timers.guarded(`scheduled run of store ${store}`, work),
    );
    for (const { store, id } of made) {
      this.timers.log.info({ store, runId: id }, 'scheduled run, put off until the run before it ended');
      await this.jobs.enqueue('runs', id);
    }
  }

  /** Requests a run for each store whose events wait for one. */
  async runEvents(): Promise<void> {
    for (const key of await this.owed.storesAnnounced(EVENTS_QUIET_MS)) {
      if (!this.connections.findStore(key)) continue;
      await this.timers.guarded(`events of store ${key}`, async () => {
        const run = await this.requests.request({ store: key, full: false, trigger: 'event' });
        // An active run has already begun to read. These events wait for the next run.
        if (run.created) await this.jobs.enqueue('runs', run.id);
      });
    }
  }
}
