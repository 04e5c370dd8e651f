import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { errorLine } from '../domain/errors.js';
import { BulkChangeRepository } from '../persistence/bulk-change.repository.js';
import { DeliveryRepository } from '../persistence/delivery.repository.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { WriteBackRepository } from '../persistence/write-back.repository.js';
import { WriteCapRepository } from '../persistence/write-cap.repository.js';
import { JobProducer, type QueueName } from '../queue/index.js';
import { Connections, type Store, type Workspace } from '../connections/connections.js';
import { Logger } from '../runtime/logger.js';
import { StoreProbe } from '../connections/store-probe.js';
import { StoreSubscriptions } from '../connections/store-subscriptions.js';
import { TaskPoller } from './task-poller.js';
import { WebhookSlot } from '../connections/webhook-slot.js';

const BATCH = 500;
/** A queue with this many waiting jobs gets no further jobs. */
const LOW_WATER = 100;
/** Jobs that wake workers of runs: enough for the workers of several processes. */
const RUN_JOBS = 64;
/** Stores, or workspaces, that are asked at the same time whether their subscriptions stand. */
const SIDES_AT_ONCE = 64;

/**
 * The sweeper (docs/decisions/0001-rows-before-queues.md): it enqueues due rows without a worker, resumes runs that a
 * fault ended, and polls open tasks. Emptying the queue, or losing it, therefore loses nothing. Every step is safe to
 * run in any number of replicas at once.
 */
@Injectable()
export class Reconciler {
  readonly #log: Logger;
  #stopped = false;

  constructor(
    private readonly connections: Connections,
    private readonly runs: RunRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly writeBacks: WriteBackRepository,
    private readonly caps: WriteCapRepository,
    private readonly bulkChanges: BulkChangeRepository,
    private readonly links: LinkRepository,
    private readonly state: StateRepository,
    private readonly poller: TaskPoller,
    private readonly slot: WebhookSlot,
    private readonly probe: StoreProbe,
    @Inject(JobProducer) private readonly jobs: Pick<JobProducer, 'enqueueMany' | 'waiting'>,
    private readonly subscriptions: StoreSubscriptions,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'schedule' });
  }

  /**
   * One round. A failing step is reported and does not stop the others. True when more than one round of work is due,
   * so the next round need not wait.
   */
  async sweep(): Promise<boolean> {
    const { deliveries, writeBacks } = this;
    await this.#step('runs', () => this.#runs());
    await this.#step('limits', () => this.#wakeCapped());
    const more = [
      await this.#topUp('deliveries', () => deliveries.due(BATCH)),
      await this.#topUp('write-backs', () => writeBacks.due(BATCH)),
    ];
    await this.#step('creations', () => this.#creations());
    await this.#step('bulk changes', async () => {
      await this.jobs.enqueueMany('bulk-changes', await this.bulkChanges.due(BATCH));
    });
    return more.includes(true);
  }

  /** Tries paused stores, asks for the state of open tasks and for results generated elsewhere. Each answer may take as long as the service likes. */
  async poll(workspace: Workspace): Promise<void> {
    const probes = this.#step('pauses', () => this.#probeDue(workspace));
    await this.#step('tasks', async () => {
      await this.jobs.enqueueMany('deliveries', await this.poller.pollDue(BATCH, [workspace]));
    });
    await this.#step('results generated elsewhere', async () => {
      await this.jobs.enqueueMany('deliveries', await this.poller.sweepResults([workspace]));
    });
    await probes;
  }

  /** Enqueues rows that are due, unless the queue still has enough jobs; true when there may be more of them. */
  async #topUp(queue: QueueName, due: () => Promise<string[]>): Promise<boolean> {
    let more = false;
    await this.#step(queue, async () => {
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

  /** Writes that waited for a limit go on as far as it has room again: on the next day, or after the next run began. */
  async #wakeCapped(): Promise<void> {
    for (const key of await this.caps.storesWaiting()) {
      const store = this.connections.findStore(key);
      if (store === undefined) continue;
      await this.#step(`limits of store ${key}`, async () => {
        const woken = await this.caps.wake(key, store.writeLimits);
        if (woken > 0) this.#log.info({ store: key, woken }, 'writes that waited for a limit go on');
      });
    }
  }

  async #probeDue(workspace: Workspace): Promise<void> {
    const due = await this.probe.dueStores();
    await this.#each(
      this.connections.stores.filter(
        (store) => store.workspace.key === workspace.key && due.includes(store.key),
      ),
      (store) => this.#step(`pause of store ${store.key}`, () => this.#probe(store)),
    );
  }

  /** A pause that is over: the store is asked once, and what waits goes on only if it grants what is needed. */
  async #probe(store: Store): Promise<void> {
    const result = await this.probe.probeWhenDue(store);
    if (result === null) return;
    const { refusal, woken } = result;
    if (refusal === null) this.#log.info({ store: store.key, ...woken }, 'the store’s pause ended');
    else this.#log.warn({ store: store.key }, 'the store refuses us still; its pause goes on');
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

  /**
   * Detects a slot that vanished or was taken over, and fills it again if it is ours. At start our slot is written
   * again, so that a changed secret takes effect.
   */
  async checkSlots({ rewrite }: { rewrite: boolean }): Promise<void> {
    await this.#each(this.connections.workspaces, async (workspace) => {
      const { register, hmacSecret } = workspace.settings.webhook;
      if (!register || hmacSecret === undefined || this.slot.urlFor(workspace) === null) return;
      await this.#step('webhook slot', () => this.#checkSlot(workspace, rewrite));
    });
  }

  async #checkSlot(workspace: Workspace, rewrite: boolean): Promise<void> {
    const found = await this.slot.look(workspace);
    const isRepair = found.state === 'free' || found.state === 'outdated';
    if (isRepair || (found.state === 'ours' && rewrite)) {
      const finding = await this.slot.register(workspace, { force: false });
      if (found.state === 'outdated')
        this.#log.warn({ workspace: workspace.key }, `${found.detail}; it was written again`);
      if (found.state === 'free')
        this.#log.info({ workspace: workspace.key }, `webhook slot registered: ${finding.detail}`);
      return;
    }
    await this.state.reportWebhook(workspace.key, found);
    if (found.state !== 'ours')
      this.#log.warn({ workspace: workspace.key }, `${found.detail}; results come by polling`);
  }

  async keepSubscriptions(): Promise<void> {
    await this.#each(this.connections.stores, (store) =>
      this.#step(`store events of ${store.key}`, () => this.subscriptions.keep(store)),
    );
  }

  /** Side by side, so that one which does not answer holds up none of the others. */
  async #each<T>(sides: readonly T[], work: (side: T) => Promise<void>): Promise<void> {
    const limit = pLimit(SIDES_AT_ONCE);
    await Promise.all(sides.map((side) => limit(() => work(side))));
  }

  /** The process stops: no further step begins, and one that is under way may fail without a warning. */
  stop(): void {
    this.#stopped = true;
  }

  /** A method, as `stop` may be called while a step is under way. */
  #hasStopped(): boolean {
    return this.#stopped;
  }

  async #step(what: string, work: () => Promise<void>): Promise<void> {
    if (this.#stopped) return;
    try {
      await work();
    } catch (error) {
      const failure = { what, err: errorLine(error) };
      // Its connections are closed by now. The next process does the work.
      if (this.#hasStopped()) this.#log.debug(failure, 'a step of reconcile did not end before the stop');
      else this.#log.warn(failure, 'a step of reconcile failed; the next round tries again');
    }
  }
}
