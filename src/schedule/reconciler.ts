import { errorLine } from '../domain/errors.js';
import type { DeliveryRepository } from '../persistence/delivery.repository.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { RunRepository } from '../persistence/run.repository.js';
import type { StateRepository } from '../persistence/state.repository.js';
import type { WriteBackRepository } from '../persistence/write-back.repository.js';
import type { QueueName } from '../queue/index.js';
import type { Sites, Workspace } from '../sites/sites.js';
import type { Logger } from '../runtime/logger.js';
import type { TaskPoller } from './task-poller.js';
import type { WebhookSlot } from '../sites/webhook-slot.js';

export type Nudge = (queue: QueueName, ids: readonly string[]) => Promise<void>;

/** How the queues stand, so that a backlog of rows does not become a greater one of jobs. */
export interface QueuePressure {
  /** Jobs that no worker has begun; null when the queue does not answer. */
  waiting(queue: QueueName): Promise<number | null>;
  /** So much comes in that its interpretation has to wait. */
  readonly flooded: boolean;
}

export interface ReconcileParts {
  readonly sites: Sites;
  readonly runs: RunRepository;
  readonly deliveries: DeliveryRepository;
  readonly writeBacks: WriteBackRepository;
  readonly links: LinkRepository;
  readonly state: StateRepository;
  readonly poller: TaskPoller;
  readonly slot: WebhookSlot;
  readonly nudge: Nudge;
  readonly pressure: QueuePressure;
  readonly log: Logger;
  /** `server.publicUrl`, when it is set. */
  readonly publicUrl: string | undefined;
}

const BATCH = 500;
/** A queue with so many jobs waiting needs no more. */
const LOW_WATER = 100;

/**
 * The sweeper (docs/decisions/0001-rows-before-queues.md): rows that nobody looks at are nudged, runs that a fault ended are taken up again,
 * open tasks are asked about. Emptying the queue, or losing it, therefore loses nothing. Every step is safe to run in any
 * number of replicas at once.
 */
export class Reconciler {
  constructor(private readonly parts: ReconcileParts) {}

  /**
   * One round. A step that fails is reported and does not keep the others from their turn. True when there is more than one
   * round's work: the next one need not wait.
   */
  async sweep(): Promise<boolean> {
    const { deliveries, writeBacks, pressure } = this.parts;
    await this.#step('runs', () => this.#runs());
    const more = [
      !pressure.flooded && (await this.#topUp('deliveries', () => deliveries.due(BATCH))),
      await this.#topUp('write-backs', () => writeBacks.due(BATCH)),
    ];
    await this.#step('tasks', async () =>
      this.parts.nudge('deliveries', await this.parts.poller.pollDue(BATCH)),
    );
    await this.#step('creations', () => this.#creations());
    return more.includes(true);
  }

  /** Nudges rows that are due, unless the queue still has enough to do; true when there may be more of them. */
  async #topUp(queue: QueueName, due: () => Promise<string[]>): Promise<boolean> {
    let more = false;
    await this.#step(queue, async () => {
      if (((await this.parts.pressure.waiting(queue)) ?? 0) >= LOW_WATER) {
        more = true;
        return;
      }
      const ids = await due();
      more = ids.length === BATCH;
      await this.parts.nudge(queue, ids);
    });
    return more;
  }

  async #runs(): Promise<void> {
    await this.parts.runs.requeueDue();
    await this.parts.nudge('runs', await this.parts.runs.unattended());
  }

  /** Creations that outlived their run are followed by a job of their own. */
  async #creations(): Promise<void> {
    for (const store of this.parts.sites.stores) {
      if (await this.parts.links.hasAbandonedCreations(store.key))
        await this.parts.nudge('reconcile', [`creations:${store.key}`]);
    }
  }

  /**
   * Notices a slot that vanished or was taken over, and fills it again where that is ours to do. At start a slot of ours is
   * written anew, so that a secret that was changed meanwhile takes effect.
   */
  async checkSlots({ rewrite }: { rewrite: boolean }): Promise<void> {
    for (const workspace of this.parts.sites.workspaces) {
      const { register, hmacSecret } = workspace.settings.webhook;
      if (!register || hmacSecret === undefined || this.parts.slot.urlFor(workspace) === null) continue;
      await this.#step('webhook slot', () => this.#checkSlot(workspace, rewrite));
    }
  }

  async #checkSlot(workspace: Workspace, rewrite: boolean): Promise<void> {
    const found = await this.parts.slot.look(workspace);
    const isRepair = found.state === 'free' || found.state === 'outdated';
    if (isRepair || (found.state === 'ours' && rewrite)) {
      const finding = await this.parts.slot.register(workspace, { force: false });
      if (found.state === 'outdated')
        this.parts.log.warn({ workspace: workspace.key }, `${found.detail}; it was written anew`);
      if (found.state === 'free')
        this.parts.log.info({ workspace: workspace.key }, `webhook slot registered: ${finding.detail}`);
      return;
    }
    await this.parts.state.reportWebhook(workspace.key, found);
    if (found.state !== 'ours')
      this.parts.log.warn({ workspace: workspace.key }, `${found.detail}; results come by polling`);
  }

  /** Keeps the store's own events coming, where they can be verified; without them schedules alone find changes. */
  async keepSubscriptions(): Promise<void> {
    const { publicUrl } = this.parts;
    if (publicUrl === undefined) return;
    for (const store of this.parts.sites.stores) {
      if (store.settings.webhookSecret === undefined) continue;
      const uri = `${publicUrl.replace(/\/+$/, '')}/webhooks/shopify/${encodeURIComponent(store.key)}`;
      await this.#step(`store events of ${store.key}`, () => store.connector.ensureSubscriptions(uri));
    }
  }

  async #step(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.parts.log.warn(
        { what, err: errorLine(error) },
        'a step of reconcile failed; the next round tries again',
      );
    }
  }
}
