import { SchedulerRegistry } from '@nestjs/schedule';
import { StoreInstallationRepository } from '../../src/persistence/store-installation.repository.js';
import { RetentionRepository } from '../../src/persistence/retention.repository.js';
import type { QueueName } from '../../src/queue/index.js';
import { Reconciler } from '../../src/schedule/reconciler.js';
import { Retention } from '../../src/schedule/retention.js';
import { Scheduler } from '../../src/schedule/scheduler.js';
import { SideChecks } from '../../src/schedule/side-checks.js';
import { StoreSchedules } from '../../src/schedule/store-schedules.js';
import { Timers } from '../../src/schedule/timers.js';
import { ShopRedactionRepository } from '../../src/persistence/shop-redaction.repository.js';
import { ShopRedactions } from '../../src/schedule/shop-redactions.js';
import { Uninstalls } from '../../src/schedule/uninstalls.js';
import { StoreSubscriptions } from '../../src/connections/store-subscriptions.js';
import { StoreProbe } from '../../src/connections/store-probe.js';
import { WebhookSlot } from '../../src/connections/webhook-slot.js';
import { loggerTo } from './logs.js';
import type { Stages } from './stages.js';

/** How full the queues are. */
export interface QueuePressure {
  readonly waiting: (queue: QueueName) => Promise<number | null>;
}

/** A queue with nothing to do, unless a test says otherwise. */
export const IDLE: QueuePressure = { waiting: () => Promise.resolve(0) };

type Enqueueing = (queue: QueueName, ids: readonly string[]) => Promise<number>;

/** Schedulers and reconcilers over the stages, and what they enqueue and log. */
export class Schedulers {
  /** `queue id`, in order. */
  enqueued: string[] = [];
  logged: string[] = [];
  /** Those of them that are warnings. */
  warned: string[] = [];
  readonly #made: Timers[] = [];
  readonly #log = loggerTo(({ level, fields, message }) => {
    const line = level === 'info' ? message : `${message} ${JSON.stringify(fields)}`;
    this.logged.push(line);
    if (level === 'warn') this.warned.push(line);
  });

  constructor(private readonly stages: Stages) {}

  readonly enqueueMany: Enqueueing = async (queue, ids) => {
    this.enqueued.push(...ids.map((id) => `${queue} ${id}`));
    return ids.length;
  };

  reconciler(pressure = IDLE, enqueueing = this.enqueueMany, timers = this.#timers()): Reconciler {
    const { connections, runs, deliveries, writeBacks, bulkChanges, links } = this.stages;
    const jobs = { enqueueMany: enqueueing, waiting: pressure.waiting };
    return new Reconciler(timers, connections, runs, deliveries, writeBacks, bulkChanges, links, jobs);
  }

  sides(publicUrl?: string, timers = this.#timers()): SideChecks {
    const { connections, caps, state, poller, pauses } = this.stages;
    const config = { server: { publicUrl } };
    return new SideChecks(
      timers,
      connections,
      caps,
      poller,
      new WebhookSlot(config, state),
      new StoreProbe(pauses),
      { enqueueMany: this.enqueueMany },
      new StoreSubscriptions(state, config),
    );
  }

  /** The schedules of a replica whose clock reads `now`. */
  schedules(now: Date, timers = this.#timers()): StoreSchedules {
    const { connections, requests, runs, owed, clock } = this.stages;
    const jobs = {
      enqueue: async (queue: QueueName, id: string) => (await this.enqueueMany(queue, [id])) === 1,
    };
    const fixed = { now: () => now, random: () => 0.5, sleep: clock.sleep };
    return new StoreSchedules(timers, connections, requests, runs, owed, jobs, fixed);
  }

  /** A replica whose clock reads `now`. */
  scheduler(
    now: Date,
    { registry, pressure = IDLE }: { registry?: SchedulerRegistry; pressure?: QueuePressure } = {},
  ): Scheduler {
    const { connections, db, clock, pauses } = this.stages;
    const timers = this.#timers(registry);
    const retention = new RetentionRepository(db);
    return new Scheduler(
      timers,
      connections,
      this.schedules(now, timers),
      this.reconciler(pressure, this.enqueueMany, timers),
      this.sides(undefined, timers),
      new Retention(retention, clock, this.#log),
      new Uninstalls(new StoreInstallationRepository(db), pauses, connections, this.#log),
      new ShopRedactions(new ShopRedactionRepository(db), connections, timers, clock),
    );
  }

  #timers(registry = new SchedulerRegistry()): Timers {
    const timers = new Timers(registry, this.#log);
    this.#made.push(timers);
    return timers;
  }

  stop(): void {
    for (const each of this.#made) each.stop();
  }
}
