import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import type { BackgroundTask } from '../catalog/background-task.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import { BACKOFF } from '../domain/backoff.js';
import { reactionTo } from '../domain/error-policy.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { isSameExternalId } from '../domain/external-id.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { ActionRepository } from '../persistence/action.repository.js';
import type { CatalogProductBody } from '../domain/catalog-product.js';
import type { StoreProductEntity } from '../persistence/entities/index.js';
import { RunRepository } from '../persistence/run.repository.js';
import { whyCreationIsGivenUp, type CreationTaskState } from '../planner/creation-progress.js';
import { bareBody } from '../planner/identifier-refusals.js';
import { fieldHashes, withoutIdentifiers } from '../planner/map-to-catalog.js';
import type { Store } from '../connections/connections.js';
import { Clock } from '../runtime/clock.js';
import { changedFields } from '../planner/plan-product.js';
import { ownFields } from './localised-texts.js';
import { ProductSender } from './product-sender.js';
import { findByExternalId, variantLinksOf } from './find-product.js';
import { postOwn } from './own-product.js';

/** Up to this many are searched one by one. More are found faster by one walk over the listing. */
const SEARCH_ONE_BY_ONE = 5;
const ASK_ONE_BY_ONE = 10;

/**
 * Follows creations in the catalog's background (docs/catalog-rules.md, CREATE-08): the task until it ends, then the
 * product, found by its external_id, and its variants.
 */
@Injectable()
export class BackgroundCreations {
  constructor(
    private readonly links: LinkRepository,
    private readonly actions: ActionRepository,
    private readonly runs: RunRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Follows all pending creations of a store until none is left or the time is up. Returns the external_ids that were
   * linked.
   */
  async follow(
    store: Store,
    forMs: number,
    signal: AbortSignal,
    fence: () => void = () => {
      signal.throwIfAborted();
    },
  ): Promise<string[]> {
    const linked: string[] = [];
    const until = this.clock.now().getTime() + forMs;
    for (let rounds = 1; ; rounds += 1) {
      const pauseMs = BACKOFF.outsideJob.stepMs(rounds);
      const pending = await this.links.pending(store.key, store.workspace.key);
      if (pending.length === 0) return linked;
      const found = await this.#round(store, pending, signal, fence);
      linked.push(...found);
      if (this.clock.now().getTime() + pauseMs > until) return linked;
      if (found.length < pending.length) await this.clock.sleep(pauseMs, signal);
    }
  }

  async #round(
    store: Store,
    pending: readonly StoreProductEntity[],
    signal: AbortSignal,
    fence: () => void,
  ): Promise<string[]> {
    const limit = pLimit(store.workspace.client.requestsAtOnce);
    const listed =
      pending.length > ASK_ONE_BY_ONE
        ? await this.#listedTasks(store, pending)
        : new Map<string, BackgroundTask>();
    const states = new Map<StoreProductEntity, CreationTaskState>();
    await Promise.all(
      pending.map((product) =>
        limit(async () => {
          signal.throwIfAborted();
          const state = await this.#stateOf(store, product, listed);
          if (state !== null) states.set(product, state);
        }),
      ),
    );
    const finished = pending.filter((product) => (states.get(product) ?? 'running') !== 'running');
    const found = await this.#find(store, finished, fence);
    await this.#giveUpLost(states, found);
    const linked: string[] = [];
    await Promise.all(
      [...found].map(([externalId, product]) =>
        limit(async () => {
          const variants = await variantLinksOf(store.workspace.client, product);
          const link = pending.find((each) => each.externalId === externalId);
          if (link === undefined || !(await this.#link(store, link, product, variants, fence))) return;
          await this.runs.recount(externalId);
          linked.push(externalId);
        }),
      ),
    );
    return linked;
  }

  /** The tasks on the first pages of the service's list, so that many creations need few requests. */
  async #listedTasks(
    store: Store,
    pending: readonly StoreProductEntity[],
  ): Promise<Map<string, BackgroundTask>> {
    const wanted = new Set(pending.map((product) => product.creationTaskId));
    const tasks = new Map<string, BackgroundTask>();
    let listed = 0;
    try {
      for await (const task of store.workspace.client.iterateBackgroundTasks()) {
        listed += 1;
        if (wanted.delete(task.id)) tasks.set(task.id, task);
        if (wanted.size === 0 || listed > pending.length * 2) break;
      }
    } catch (error) {
      // The list's shape and permissions are not documented. If it cannot be read, tasks are read one by one.
      if (!(error instanceof CodedError)) throw error;
    }
    return tasks;
  }

  /**
   * Links a product that was found, and sends the fields that its creation left out. These are identifiers that were not proved free,
   * and the variants of a product that was created a second time. The product is owed until they are sent.
   */
  async #link(
    store: Store,
    link: StoreProductEntity,
    product: CatalogProduct,
    variants: Readonly<Record<string, string>>,
    fence: () => void,
  ): Promise<boolean> {
    const { externalId } = link;
    const action = await this.actions.newest(externalId);
    const body = action?.body == null ? null : withoutIdentifiers(action.body, link.withheld);
    const missing = body === null ? [] : changedFields(body, heldFields(link, product, body));
    const catalogId = String(product.id);
    if (!(await this.links.linkCreated(externalId, catalogId, variants, missing))) return false;
    const held =
      (await this.actions.held({ store: store.key, workspace: store.workspace.key }, [externalId])).get(
        externalId,
      ) ?? [];
    const stale = held.filter(({ wanted }) => !wanted);
    if (body === null || (missing.length === 0 && stale.length === 0)) return true;
    if (await this.links.hasLeft(externalId)) return true;
    try {
      const sender = ProductSender.of(store);
      const sent = await sender.update(catalogId, body, missing, {
        stale,
        withheld: link.withheld,
        beforeSend: fence,
      });
      const withheld = [...link.withheld, ...sent.refused];
      await this.links.completed(externalId, withheld, fieldHashes(sent.body));
      if (stale.length > 0) await this.actions.forgetStale({ store: store.key, externalId });
    } catch (error) {
      // The product stays owed, and the next run sends what is missing.
      if (!(error instanceof CodedError)) throw error;
    }
    return true;
  }

  /** Ends the wait for products that the catalog still does not have. They are created again. */
  async #giveUpLost(
    states: ReadonlyMap<StoreProductEntity, CreationTaskState>,
    found: ReadonlyMap<string, CatalogProduct>,
  ): Promise<void> {
    const nowMs = this.clock.now().getTime();
    for (const [product, state] of states) {
      if (found.has(product.externalId)) continue;
      const reason = whyCreationIsGivenUp(state, nowMs - (product.creationStartedAt?.getTime() ?? 0));
      if (reason !== null) await this.#failed(product, reason);
    }
  }

  async #failed(
    { externalId, creationTaskId }: Pick<StoreProductEntity, 'externalId' | 'creationTaskId'>,
    reason: string,
  ): Promise<void> {
    await this.links.creationFailed(externalId, creationTaskId, reason);
    await this.runs.recount(externalId);
  }

  /**
   * The task's state; null when it failed, which is recorded. Where the task cannot be read, the product itself
   * decides.
   */
  async #stateOf(
    store: Store,
    product: StoreProductEntity,
    listed: ReadonlyMap<string, BackgroundTask>,
  ): Promise<CreationTaskState | null> {
    const taskId = product.creationTaskId;
    if (taskId === null) return 'unreadable';
    try {
      const task = listed.get(taskId) ?? (await store.workspace.client.getBackgroundTask(taskId));
      if (task.state === 'failed') {
        await this.#failed(product, task.reason ?? 'the catalog could not create the product');
        return null;
      }
      return task.state;
    } catch (error) {
      // Tasks may be inaccessible, because an API token is only documented for products. Then the listing shows the
      // result.
      if (!(error instanceof CodedError)) throw error;
      return reactionTo('task', error) === 'give_up' ? 'unreadable' : 'running';
    }
  }

  async #find(
    store: Store,
    finished: readonly StoreProductEntity[],
    fence: () => void,
  ): Promise<Map<string, CatalogProduct>> {
    const found = new Map<string, CatalogProduct>();
    if (finished.length > SEARCH_ONE_BY_ONE) await this.#walk(store, finished, found);
    for (const product of finished) {
      if (found.has(product.externalId)) continue;
      const match = await this.#findOne(store, product, fence);
      if (match) found.set(product.externalId, match);
    }
    return found;
  }

  async #walk(
    store: Store,
    finished: readonly StoreProductEntity[],
    found: Map<string, CatalogProduct>,
  ): Promise<void> {
    const wanted = new Set(finished.map((product) => product.externalId));
    for await (const product of store.workspace.client.iterateProducts({
      sorting: 'desc',
      orderBy: 'date',
    })) {
      const externalId = product.external_id ?? '';
      if (wanted.delete(externalId)) found.set(externalId, product);
      if (wanted.size === 0) return;
    }
  }

  /** By search and listing, and finally by one more upsert without variants, which matches by external_id. */
  async #findOne(
    store: Store,
    product: StoreProductEntity,
    fence: () => void,
  ): Promise<CatalogProduct | null> {
    const action = await this.actions.newest(product.externalId);
    if (action?.body == null) return null;
    const body = withoutIdentifiers(action.body, product.withheld);
    const found = await findByExternalId(store.workspace.client, body);
    if (found !== null) return found;
    if (product.creationTaskId === null || !(await this.#taskSucceeded(store, product.creationTaskId)))
      return null;
    // Without identifiers: a POST matches by each, and must match only this product.
    const { variants: _variants, ...withoutVariants } = ownFields(bareBody(body));
    try {
      const result = await postOwn(store.workspace.client, withoutVariants, { beforeSend: fence });
      return result.kind === 'product' && isSameExternalId(result.product.external_id, product.externalId)
        ? result.product
        : null;
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      if (error.code === 'invalid') await this.#failed(product, errorLine(error));
      return null;
    }
  }

  async #taskSucceeded(store: Store, taskId: string): Promise<boolean> {
    try {
      return (await store.workspace.client.getBackgroundTask(taskId)).state === 'succeeded';
    } catch (error) {
      if (error instanceof CodedError) return false;
      throw error;
    }
  }
}

/**
 * Hashes of the fields that the catalog holds of the product. Variants are left out when the product is not a product model, as after
 * a second creation.
 */
function heldFields(
  { pushedFields }: StoreProductEntity,
  product: CatalogProduct,
  body: CatalogProductBody,
): StoreProductEntity['pushedFields'] {
  const lacksVariants =
    (body.variants ?? []).length > 0 &&
    product.is_product_model === false &&
    (product.variants ?? []).length === 0;
  if (!lacksVariants) return pushedFields;
  const { variants: _variants, ...held } = pushedFields;
  return held;
}
