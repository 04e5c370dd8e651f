import { Inject, Injectable } from '@nestjs/common';
import { Connections } from '../connections/connections.js';
import { BulkChangeRepository } from '../persistence/bulk-change.repository.js';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { JobProducer, type QueueName } from '../queue/index.js';
import { Timers } from './timers.js';

const BATCH = 500;
/** A queue with this many waiting jobs gets no further jobs. */
const LOW_WATER = 100;
/** Jobs that wake workers of runs: enough for the workers of several processes. */
const RUN_JOBS = 64;

/**
 * The sweeper (docs/decisions/0001-rows-before-queues.md): it enqueues due rows without a worker, and resumes runs that a fault ended.
 * Emptying the queue, or losing it, therefore loses nothing. Every step is safe to run in any number of replicas at once.
 */
@Injectable()
export class Reconciler {
  constructor(
    private readonly timers: Timers,
    private readonly connections: Connections,
    private readonly runs: RunRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly writeBacks: WriteBackRepository,
    private readonly bulkChanges: BulkChangeRepository,
    private readonly links: LinkRepository,
    @Inject(JobProducer) private readonly jobs: Pick<JobProducer, 'enqueueMany' | 'waiting'>,
  ) {}

  /**
   * One round. A failing step is reported and does not stop the others. True when more than one round of work is due,
   * so the next round need not wait.
   */
  async sweep(): Promise<boolean> {
    const { deliveries, writeBacks } = this;
    await this.timers.guarded('runs', () => this.#runs());
    await this.timers.guarded('plans', () => this.runs.endLostPlans());
    const more = [
      await this.#topUp('deliveries', () => deliveries.due(BATCH)),
      await this.#topUp('write-backs', () => writeBacks.due(BATCH)),
    ];
    await this.timers.guarded('creations', () => this.#creations());
    await this.timers.guarded('bulk changes', async () => {
      await this.jobs.enqueueMany('bulk-changes', await this.bulkChanges.due(BATCH));
    });
    return more.includes(true);
  }

  /** Enqueues rows that are due, unless the queue still has enough jobs; true when there may be more of them. */
  async #topUp(queue: QueueName, due: () => Promise<string[]>): Promise<boolean> {
    let more = false;
    await this.timers.guarded(queue, async () => {
      if (((await this.jobs.waiting(queue)) ?? 0) >= LOW_WATER) {
        more = true;
        return;
      }
      const ids = await due();
      more = ids.length === BATCH;
      await this.jobs.enqueueMany(queue, ids);
    });
    return more;
  }

  async #runs(): Promise<void> {
    await this.runs.requeueDue();
    // A job only wakes a worker, which takes runs until none waits.
    if (((await this.jobs.waiting('runs')) ?? 0) >= RUN_JOBS) return;
    await this.jobs.enqueueMany('runs', await this.runs.unattended(RUN_JOBS));
  }

  /** Background creations whose run has ended get a job of their own. */
  async #creations(): Promise<void> {
    const stores = await this.links.storesWithAbandonedCreations();
    const configured = stores.filter((key) => this.connections.findStore(key) !== undefined);
    await this.jobs.enqueueMany(
      'reconcile',
      configured.map((key) => `creations:${key}`),
    );
  }
}
