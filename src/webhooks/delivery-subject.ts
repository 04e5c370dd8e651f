import type { CatalogProduct } from '../catalog/schemas.js';
import { parseExternalId, productExternalId, variantExternalId } from '../domain/external-id.js';
import { foldedIdentifier } from '../domain/identifier-text.js';
import { polledTask } from '../domain/poll-key.js';
import type {
  GenerationTaskEntity,
  StoreProductEntity,
  WebhookDeliveryEntity,
} from '../persistence/entities/index.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { ResultRepository, ResultStanding } from '../persistence/result.repository.js';
import type { TaskRepository } from '../persistence/task.repository.js';
import { CLOCK_SKEW_MS } from '../planner/result-order.js';
import type { ReceivedDelivery } from './received-delivery.js';

/** The product that a delivery is about, and the request that it answers; each null while it is not known. */
export interface Subject {
  readonly link: StoreProductEntity | null;
  /** How the product stood before the request was looked for. */
  readonly standing: ResultStanding;
  readonly task: GenerationTaskEntity | null;
  /**
   * Beside no task: one of the product that has ended, and that the result may repeat or complete under another id. A request for several products
   * has one id, or none, when a poll ends it, and the service may give each product an id of its own, which the webhook brings. Beside an open task:
   * the one before it, which the result repeats if it brings the same content.
   */
  readonly candidate: GenerationTaskEntity | null;
  /** The variant that the result is for, by its external_id or catalog id; null for a result of the product itself. */
  readonly variant: string | null;
}

/** Finds what a delivery is about: by external_id, by catalog id, or by the task that was asked for. */
export class DeliverySubjects {
  constructor(
    private readonly links: LinkRepository,
    private readonly tasks: TaskRepository,
    private readonly results: ResultRepository,
  ) {}

  async of(delivery: ReceivedDelivery): Promise<Subject> {
    const { body, row } = delivery;
    const named = await this.#linkOf(row.workspace, body.product);
    const link = named ?? (await this.#linkOfTask(delivery));
    if (link === null)
      return {
        link: null,
        task: null,
        candidate: null,
        variant: null,
        standing: { version: '', catalogFields: null },
      };
    return this.again(delivery, link);
  }

  /** The same for a product that is known, as it stands now. */
  async again(
    delivery: ReceivedDelivery,
    link: StoreProductEntity,
  ): Promise<Subject & { link: StoreProductEntity }> {
    const standing = await this.results.standing(link.externalId);
    const variant = variantOf(link, delivery.body.product);
    // A variant's result answers no request of its product.
    if (variant !== null) return { link, standing, task: null, candidate: null, variant };
    return { link, standing, variant, ...(await this.#taskOf(link, delivery)) };
  }

  async #linkOf(
    workspace: string,
    product: CatalogProduct | null | undefined,
  ): Promise<StoreProductEntity | null> {
    if (product == null) return null;
    const ref = parseExternalId(foldedIdentifier(product.external_id ?? ''));
    if (ref !== null) {
      const link = await this.links.get(productExternalId(ref.store, ref.productId));
      if (link?.workspace === workspace && link.catalogId !== null) return link;
    }
    const id = String(product.id);
    const own = await this.links.byCatalogId(workspace, id);
    // A variant that another system made has no external_id of ours, only its catalog id.
    return own ?? this.links.byVariantCatalogId(workspace, id);
  }

  /** A shared task names no single product. */
  async #linkOfTask({ body, row }: ReceivedDelivery): Promise<StoreProductEntity | null> {
    if (body.product != null || body.task?.id === undefined) return null;
    const task = await this.tasks.byTaskId(row.workspace, body.task.id);
    if (task === null || (task.taskIsShared && !(await this.tasks.isOnlyOne(task)))) return null;
    return this.links.get(task.externalId);
  }

  /** The row of the request that this answers: by task id, else the product's open one unless it is clearly another's. */
  async #taskOf(
    { externalId }: StoreProductEntity,
    { row, body, createdAt }: ReceivedDelivery,
  ): Promise<Pick<Subject, 'task' | 'candidate'>> {
    const taskId = body.task?.id;
    const polled = await this.#polled(row, externalId);
    if (polled !== null) return { task: polled, candidate: null };
    // The sweep found it by its content, while nothing was open. What it saw after a request answers that one, which its own poll brings as well.
    if (row.via === 'poll' && taskId === undefined) {
      const since = await this.tasks.openFor(externalId);
      return { task: null, candidate: since !== null && since.requestedAt < row.receivedAt ? since : null };
    }
    const byId = taskId === undefined ? null : await this.tasks.ofProduct(externalId, taskId);
    if (byId !== null) return { task: byId, candidate: null };
    const newest = await this.tasks.newest(externalId);
    const open = newest?.state === 'requested' ? newest : await this.tasks.openFor(externalId);
    const possible = open ?? newest;
    if (possible === null) return { task: null, candidate: null };
    const ownsAnother =
      possible.taskId !== null &&
      !possible.taskIsShared &&
      taskId !== undefined &&
      taskId !== possible.taskId;
    const tooOld = createdAt !== null && createdAt.getTime() < possible.requestedAt.getTime() - CLOCK_SKEW_MS;
    if (ownsAnother || tooOld) return { task: null, candidate: null };
    if (open !== null) return { task: open, candidate: await this.#repeated(open, createdAt) };
    const isPossible = possible.state === 'abandoned' || possible.taskIsShared || possible.taskId === null;
    return { task: null, candidate: isPossible ? possible : null };
  }

  /** The request before the open one, if a result of this date is rather its own: a poll may have brought that one before. */
  async #repeated(open: GenerationTaskEntity, createdAt: Date | null): Promise<GenerationTaskEntity | null> {
    const before = await this.tasks.before(open);
    if (before === null || createdAt === null) return null;
    if (before.taskId !== null && !before.taskIsShared) return null;
    const distance = ({ requestedAt }: GenerationTaskEntity): number =>
      Math.abs(createdAt.getTime() - requestedAt.getTime());
    return distance(before) < distance(open) ? before : null;
  }

  /** The task that a poll was made for. */
  async #polled(
    { via, dedupeKey }: WebhookDeliveryEntity,
    externalId: string,
  ): Promise<GenerationTaskEntity | null> {
    const id = via === 'poll' ? polledTask(dedupeKey) : null;
    const task = id === null ? null : await this.tasks.get(id);
    return task?.externalId === externalId ? task : null;
  }
}

/** Whether a result under an unknown task id may be of a task that has ended. It is not when its generation surely began later. */
export function mayAnswer({ createdAt }: ReceivedDelivery, { settledAt }: GenerationTaskEntity): boolean {
  return (
    createdAt === null || settledAt === null || createdAt.getTime() <= settledAt.getTime() + CLOCK_SKEW_MS
  );
}

/** By its external_id, or by a catalog id that is one of the product's variants and not the product's own. */
function variantOf(link: StoreProductEntity, product: CatalogProduct | null | undefined): string | null {
  if (product == null) return null;
  const ref = parseExternalId(foldedIdentifier(product.external_id ?? ''));
  if (ref !== null)
    return ref.variantId === undefined ? null : variantExternalId(ref.store, ref.productId, ref.variantId);
  const id = String(product.id);
  if (id === link.catalogId) return null;
  const known = Object.entries(link.variantLinks).find(([, catalogId]) => catalogId === id);
  return known?.[0] ?? null;
}
