import { SchedulerRegistry } from '@nestjs/schedule';
import { StoreDayRepository } from '../../src/persistence/store-day.repository.js';
import { RetentionRepository } from '../../src/persistence/retention.repository.js';
import type { QueueName } from '../../src/queue/index.js';
import { Reconciler } from '../../src/schedule/reconciler.js';
import { Retention } from '../../src/schedule/retention.js';
import { Scheduler } from '../../src/schedule/scheduler.js';
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
  readonly #made: Scheduler[] = [];
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

  reconciler(pressure = IDLE, publicUrl?: string, enqueueing = this.enqueueMany): Reconciler {
    const { connections, runs, deliveries, writeBacks, caps, bulkChanges, links, state, poller } =
      this.stages;
    const config = { server: { publicUrl } };
    return new Reconciler(
      connections,
      runs,
      deliveries,
      writeBacks,
      caps,
      bulkChanges,
      links,
      state,
      poller,
      new WebhookSlot(config, state),
      new StoreProbe(this.stages.health),
      { enqueueMany: enqueueing, waiting: pressure.waiting },
      new StoreSubscriptions(state, config),
      this.#log,
    );
  }

  /** A replica whose clock reads `now`. */
  scheduler(
    now: Date,
    {
      registry = new SchedulerRegistry(),
      pressure = IDLE,
    }: { registry?: SchedulerRegistry; pressure?: QueuePressure } = {},
  ): Scheduler {
    const { connections, requests, runs, events, db, clock } = this.stages;
    const made = new Scheduler(
      registry,
      connections,
      requests,
      runs,
      events,
      this.reconciler(pressure),
      new Retention(new RetentionRepository(db), { database: { keepDays: 90 } }, clock, this.#log),
      new StoreDayRepository(db),
      { enqueue: async (queue, id) => (await this.enqueueMany(queue, [id])) === 1 },
      { now: () => now, random: () => 0.5, sleep: clock.sleep },
      this.#log,
    );
    this.#made.push(made);
    return made;
  }

  stop(): void {
    for (const each of this.#made) each.stop();
  }
}
