import type { CatalogProduct } from '../catalog/schemas.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import type { GenerationTaskEntity, StoreProductEntity } from '../persistence/entities/index.js';
import type { LinkRepository } from '../persistence/link.repository.js';
import type { TaskRepository } from '../persistence/task.repository.js';
import { CLOCK_SKEW_MS, type ReceivedDelivery } from './received-delivery.js';

/** The product that a delivery is about, and the request that it answers; each null while it is not known. */
export interface Subject {
  readonly link: StoreProductEntity | null;
  readonly task: GenerationTaskEntity | null;
  /** The variant that the result is for, by its external_id or catalog id; null for a result of the product itself. */
  readonly variant: string | null;
}

/** Finds what a delivery is about: by external_id, by catalog id, or by the task that was asked for. */
export class DeliverySubjects {
  constructor(
    private readonly links: LinkRepository,
    private readonly tasks: TaskRepository,
  ) {}

  async of(delivery: ReceivedDelivery): Promise<Subject> {
    const { body, row } = delivery;
    const taskId = body.task?.id;
    const byTask = taskId === undefined ? null : await this.tasks.byTaskId(row.workspace, taskId);
    const named = await this.#linkOf(row.workspace, body.product);
    const link = named ?? (await this.#linkOfTask(delivery, byTask));
    if (link === null) return { link: null, task: byTask, variant: null };
    const variant = variantOf(link, body.product);
    // A variant's result answers no request of its product.
    return { link, task: variant === null ? await this.#taskOf(link, delivery, byTask) : null, variant };
  }

  async #linkOf(
    workspace: string,
    product: CatalogProduct | null | undefined,
  ): Promise<StoreProductEntity | null> {
    if (product == null) return null;
    const ref = parseExternalId(product.external_id ?? '');
    if (ref !== null) {
      const link = await this.links.get(productExternalId(ref.shop, ref.productId));
      if (link?.workspace === workspace && link.catalogId !== null) return link;
    }
    const id = String(product.id);
    const own = await this.links.byCatalogId(workspace, id);
    // A variant that another system made has no external_id of ours, only its catalog id.
    return own ?? this.links.byVariantCatalogId(workspace, id);
  }

  /** A shared task names no single product. */
  async #linkOfTask(
    { body }: ReceivedDelivery,
    task: GenerationTaskEntity | null,
  ): Promise<StoreProductEntity | null> {
    if (body.product != null || task === null) return null;
    if (task.taskIsShared && !(await this.tasks.isOnlyOne(task))) return null;
    return this.links.get(task.externalId);
  }

  /** The row of the request that this answers: by task id, else the product's open one unless it is clearly another's. */
  async #taskOf(
    link: StoreProductEntity,
    delivery: ReceivedDelivery,
    byTask: GenerationTaskEntity | null,
  ): Promise<GenerationTaskEntity | null> {
    const { row, body, createdAt } = delivery;
    if (byTask?.externalId === link.externalId) return byTask;
    const newest = await this.tasks.newest(link.externalId);
    // A poll gives the time of the request that it asked about.
    if (row.via === 'poll' && createdAt !== null && createdAt.getTime() === newest?.requestedAt.getTime())
      return newest;
    const open = await this.tasks.openFor(link.externalId);
    const candidate = open ?? (newest !== null && mayStillBeAnswered(newest) ? newest : null);
    if (candidate === null) return null;
    const taskId = body.task?.id;
    const ownsAnother =
      candidate.taskId !== null &&
      !candidate.taskIsShared &&
      taskId !== undefined &&
      taskId !== candidate.taskId;
    const tooOld =
      createdAt !== null && createdAt.getTime() < candidate.requestedAt.getTime() - CLOCK_SKEW_MS;
    return ownsAnother || tooOld ? null : candidate;
  }
}

/**
 * True when a result may answer a task that has ended: it was given up, or its end is known under a shared id only. A request for several
 * products has one id, which a poll sees, and the service may give each product an id of its own, which the webhook brings.
 */
function mayStillBeAnswered({ state, taskIsShared }: GenerationTaskEntity): boolean {
  return state === 'abandoned' || taskIsShared;
}

/** By its external_id, or by a catalog id that is one of the product's variants and not the product's own. */
function variantOf(link: StoreProductEntity, product: CatalogProduct | null | undefined): string | null {
  if (product == null) return null;
  const externalId = product.external_id ?? '';
  const ref = parseExternalId(externalId);
  if (ref !== null) return ref.variantId === undefined ? null : externalId;
  const id = String(product.id);
  if (id === link.catalogId) return null;
  const known = Object.entries(link.variantLinks).find(([, catalogId]) => catalogId === id);
  return known?.[0] ?? null;
}
