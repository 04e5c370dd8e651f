import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { Connections, type Store, type Workspace } from '../connections/connections.js';
import { StoreProbe } from '../connections/store-probe.js';
import { StoreSubscriptions } from '../connections/store-subscriptions.js';
import { WebhookSlot } from '../connections/webhook-slot.js';
import { WriteCapRepository } from '../persistence/write-cap.repository.js';
import { JobProducer } from '../queue/index.js';
import { TaskPoller } from './task-poller.js';
import { Timers } from './timers.js';

/** The most open tasks that one round asks about. */
const BATCH = 500;
/** Stores, or workspaces, that are asked at the same time whether their subscriptions stand. */
const SIDES_AT_ONCE = 64;

/**
 * Asks both sides from time to time: for results, whether a pause is over, and whether webhooks still come to us. Every check is safe to
 * run in any number of replicas at once.
 */
@Injectable()
export class SideChecks {
  constructor(
    private readonly timers: Timers,
    private readonly connections: Connections,
    private readonly caps: WriteCapRepository,
    private readonly poller: TaskPoller,
    private readonly slot: WebhookSlot,
    private readonly probe: StoreProbe,
    @Inject(JobProducer) private readonly jobs: Pick<JobProducer, 'enqueueMany'>,
    private readonly subscriptions: StoreSubscriptions,
  ) {}

  /** Tries paused stores, asks for the state of open tasks and for results generated elsewhere. Each answer may take as long as the service likes. */
  async poll(workspace: Workspace): Promise<void> {
    const probes = this.timers.guarded('pauses', () => this.#probeDue(workspace));
    await this.timers.guarded('tasks', async () => {
      await this.jobs.enqueueMany('deliveries', await this.poller.pollDue(workspace, BATCH));
    });
    await this.timers.guarded('results generated elsewhere', async () => {
      await this.jobs.enqueueMany('deliveries', await this.poller.sweepResults(workspace));
    });
    await probes;
  }

  /** Writes that waited for a limit go on as far as it has room again: on the next day, or after the next run began. */
  async wakeCapped(): Promise<void> {
    await this.timers.guarded('limits', async () => {
      for (const key of await this.caps.storesWaiting()) {
        const store = this.connections.findStore(key);
        if (store === undefined) continue;
        await this.timers.guarded(`limits of store ${key}`, async () => {
          const woken = await this.caps.wake(key, store.writeLimits);
          if (woken > 0) this.timers.log.info({ store: key, woken }, 'writes that waited for a limit go on');
        });
      }
    });
  }

  async #probeDue(workspace: Workspace): Promise<void> {
    const due = await this.probe.dueStores();
    await this.#each(
      this.connections.stores.filter(
        (store) => store.workspace.key === workspace.key && due.includes(store.key),
      ),
      (store) => this.timers.guarded(`pause of store ${store.key}`, () => this.#probe(store)),
    );
  }

  /** A pause that is over: the store is asked once, and what waits goes on only if it grants what is needed. */
  async #probe(store: Store): Promise<void> {
    const result = await this.probe.probeWhenDue(store);
    if (result === null) return;
    const { refusal, woken } = result;
    if (refusal === null) this.timers.log.info({ store: store.key, ...woken }, 'the store’s pause ended');
    else this.timers.log.warn({ store: store.key }, 'the store refuses us still; its pause goes on');
  }

  /**
   * Detects a slot that vanished or was taken over, and fills it again if it is ours. At start our slot is written
   * again, so that a changed secret takes effect.
   */
  async checkSlots({ rewrite }: { rewrite: boolean }): Promise<void> {
    await this.#each(this.connections.workspaces, async (workspace) => {
      const { register, hmacSecret } = workspace.settings.webhook;
      if (!register || hmacSecret === undefined || this.slot.urlFor(workspace) === null) return;
      await this.timers.guarded('webhook slot', () => this.#checkSlot(workspace, rewrite));
    });
  }

  async #checkSlot(workspace: Workspace, rewrite: boolean): Promise<void> {
    const found = await this.slot.look(workspace);
    const isRepair = found.state === 'free' || found.state === 'outdated';
    if (isRepair || (found.state === 'ours' && rewrite)) {
      const finding = await this.slot.register(workspace, { force: false });
      if (found.state === 'outdated')
        this.timers.log.warn({ workspace: workspace.key }, `${found.detail}; it was written again`);
      if (found.state === 'free')
        this.timers.log.info({ workspace: workspace.key }, `webhook slot registered: ${finding.detail}`);
      return;
    }
    await this.slot.report(workspace, found);
    if (found.state !== 'ours')
      this.timers.log.warn({ workspace: workspace.key }, `${found.detail}; results come by polling`);
  }

  async keepSubscriptions(): Promise<void> {
    await this.#each(this.connections.stores, (store) =>
      this.timers.guarded(`store events of ${store.key}`, () => this.subscriptions.keep(store)),
    );
  }

  /** Side by side, so that one which does not answer holds up none of the others. */
  async #each<T>(sides: readonly T[], work: (side: T) => Promise<void>): Promise<void> {
    const limit = pLimit(SIDES_AT_ONCE);
    await Promise.all(sides.map((side) => limit(() => work(side))));
  }
}
