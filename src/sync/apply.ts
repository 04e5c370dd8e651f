import pLimit from 'p-limit';
import type { CatalogProduct } from '../catalog/schemas.js';
import { CATALOG_FIELDS, type CatalogProductBody } from '../domain/catalog-product.js';
import { CodedError, isCoded } from '../domain/errors.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import type { ActionRepository } from '../persistence/action.repository.js';
import type { Database } from '../persistence/database.js';
import type { SyncActionEntity } from '../persistence/entities/index.js';
import { bearersOf } from '../persistence/identifier-bearers.js';
import { alsoShared } from '../planner/identity.js';
import { fieldHashes, withoutIdentifiers } from '../planner/map-to-catalog.js';
import { patchBody } from '../planner/plan-product.js';
import { killPoint } from '../registry/kill-point.js';
import type { Store } from '../registry/sites.js';
import { findByExternalId, variantLinksOf } from './find-product.js';
import type { Outage } from './outage.js';
import { RunInterruptedError } from './outage.js';
import { plannedChange } from './planning.js';

/** Where an action led: a product of the catalog, or a creation that goes on in the background. */
type Landing =
  | { readonly kind: 'product'; readonly product: CatalogProduct }
  | { readonly kind: 'background'; readonly taskId: string };

/** What became of an action; a creation in the background has been accepted, and may still fail there. */
export type ActionOutcome = 'applied' | 'accepted' | 'failed';

/** Runs it when one of the allowed requests is free; not any more once the run has to end. */
type InTurn = <T>(send: () => Promise<T>) => Promise<T>;

type Bearers = ReadonlyMap<string, readonly string[]>;

const CHUNK = 200;
/** Actions under way for each request that may be: while some are asked for, what became of others is recorded. */
const AHEAD = 2;

/**
 * Carries out a run's open actions: known id → PATCH of the changed fields, unknown → POST, 404 on PATCH → POST, 409 →
 * find and link, 400 → that action fails with the service's own messages and the others go on (design section 4).
 * Throws `RunInterruptedError` when the service is down or refuses us; what is open then stays planned.
 */
export class Applier {
  constructor(
    private readonly db: Database,
    private readonly actions: ActionRepository,
    private readonly onOutcome: (kind: SyncActionEntity['kind'], outcome: ActionOutcome) => void = () =>
      undefined,
  ) {}

  async apply(
    runId: string,
    store: Store,
    outage: Outage,
    signal: AbortSignal,
    onSettled: () => void,
  ): Promise<void> {
    const { concurrency } = store.workspace.settings;
    const underWay = new Set<Promise<void>>();
    // Once the service is down or refuses us, what is still waiting for its turn is not tried as well.
    const halted: { by: { readonly error: unknown } | null } = { by: null };
    const limit = pLimit(concurrency);
    const inTurn: InTurn = (send) =>
      limit(async () => {
        if (halted.by !== null) throw halted.by.error;
        try {
          return await send();
        } catch (error) {
          if (!isItsOwn(error)) halted.by ??= { error };
          throw error;
        }
      });
    const settle = async (action: SyncActionEntity, bearers: Bearers): Promise<void> => {
      try {
        await this.#settle(store, action, bearers, outage, inTurn);
        onSettled();
      } catch (error) {
        halted.by ??= { error };
      }
    };
    try {
      for await (const { action, bearers } of this.#open(runId, store)) {
        while (underWay.size >= concurrency * AHEAD) await Promise.race(underWay);
        signal.throwIfAborted();
        if (halted.by !== null) break;
        const work: Promise<void> = settle(action, bearers).finally(() => underWay.delete(work));
        underWay.add(work);
      }
    } finally {
      await Promise.all(underWay);
    }
    if (halted.by !== null) throw halted.by.error;
  }

  /** Actions that still have to be carried out, each with who else bears the identifiers of its chunk. */
  async *#open(
    runId: string,
    store: Store,
  ): AsyncGenerator<{ readonly action: SyncActionEntity; readonly bearers: Bearers }> {
    for (let after = '0'; ;) {
      const chunk = await this.actions.open(runId, after, CHUNK);
      if (chunk.length === 0) return;
      // Asked again just before sending: another store's run may have brought the same identifier since the plan.
      const bearers = await bearersOf(
        this.db,
        store.workspace.key,
        chunk.map((action) => action.externalId),
      );
      for (const action of chunk) yield { action, bearers };
      after = chunk.at(-1)?.id ?? after;
    }
  }

  async #settle(
    store: Store,
    action: SyncActionEntity,
    bearers: Bearers,
    outage: Outage,
    inTurn: InTurn,
  ): Promise<void> {
    if (action.kind === 'orphan') {
      await this.actions.orphaned(action);
      this.onOutcome('orphan', 'applied');
      return;
    }
    const change = plannedChange(action);
    const withheld = [...change.withheld, ...alsoShared(change, bearers)];
    const body = withoutIdentifiers(change.body, withheld);
    try {
      const landing = await inTurn(() =>
        outage.through(async (repeat) => {
          const attempted = repeat || action.attempts > 0;
          if (!(await this.actions.beginAttempt(action.id)))
            throw new CodedError('conflict', 'settled by another worker');
          killPoint('apply.begun');
          return this.#send(store, action, body, attempted);
        }),
      );
      killPoint('apply.sent');
      await this.#record(store, action, body, withheld, landing);
      killPoint('apply.recorded');
      this.onOutcome(action.kind, landing.kind === 'product' ? 'applied' : 'accepted');
    } catch (error) {
      if (!isItsOwn(error)) throw error;
      await this.actions.failed(action.id, {
        code: error.code,
        message: error.message,
        ...(error.fields ? { fields: error.fields } : {}),
      });
      this.onOutcome(action.kind, 'failed');
    }
  }

  async #send(
    store: Store,
    action: SyncActionEntity,
    body: CatalogProductBody,
    attempted: boolean,
  ): Promise<Landing> {
    if (action.kind === 'create' || action.catalogId === null) return this.#create(store, body, attempted);
    try {
      const fields = CATALOG_FIELDS.filter((field) => action.fields.includes(field));
      const patch = { ...patchBody(body, fields), external_id: body.external_id };
      return {
        kind: 'product',
        product: await store.workspace.client.updateProduct(action.catalogId, patch),
      };
    } catch (error) {
      if (!isCoded(error, 'not_found')) throw error;
      await this.actions.becomeCreation(action.id);
      action.kind = 'create';
      action.catalogId = null;
      action.wantsGeneration = true;
      return this.#create(store, body, false);
    }
  }

  /** POST; after an earlier try of unknown outcome the product is looked for first, so that none is made twice. */
  async #create(store: Store, body: CatalogProductBody, attempted: boolean): Promise<Landing> {
    const { client } = store.workspace;
    if (attempted) {
      const found = await findByExternalId(client, body);
      if (found) return { kind: 'product', product: await client.updateProduct(String(found.id), body) };
    }
    try {
      const result = await client.upsertProduct(body);
      if (result.kind === 'background') return { kind: 'background', taskId: result.taskId };
      assertOurs(result.product, body);
      return { kind: 'product', product: result.product };
    } catch (error) {
      if (!isCoded(error, 'conflict')) throw error;
      const found = await findByExternalId(client, body);
      if (!found) throw error;
      return { kind: 'product', product: await client.updateProduct(String(found.id), body) };
    }
  }

  async #record(
    store: Store,
    action: SyncActionEntity,
    body: CatalogProductBody,
    withheld: readonly WithheldIdentifier[],
    landing: Landing,
  ): Promise<void> {
    const metadata = body.metadata ?? {};
    const product = landing.kind === 'product' ? landing.product : null;
    await this.actions.applied({
      action,
      workspace: store.workspace.key,
      withheld,
      pushedFields: fieldHashes(body),
      catalogId: product === null ? null : String(product.id),
      creationTaskId: landing.kind === 'background' ? landing.taskId : null,
      variantLinks:
        product === null || body.variants === undefined
          ? {}
          : await this.#variantLinks(store, action, product),
      handle: typeof metadata['handle'] === 'string' ? metadata['handle'] : null,
    });
  }

  /** Variants are linked from the answer where it shows them; asked for only when the set of variants was just sent. */
  async #variantLinks(
    store: Store,
    action: SyncActionEntity,
    product: CatalogProduct,
  ): Promise<Record<string, string>> {
    if (!action.fields.includes('variants')) return {};
    return variantLinksOf(store.workspace.client, product);
  }
}

/** After a failure of the action's own the others go on; anything else ends the run. */
function isItsOwn(error: unknown): error is CodedError {
  return error instanceof CodedError && !(error instanceof RunInterruptedError);
}

/** POST updates whatever it matches; an answer about somebody else's product must not become our link. */
function assertOurs(product: CatalogProduct, body: CatalogProductBody): void {
  const answered = product.external_id;
  if (answered === null || answered === undefined || answered === '' || answered === body.external_id) return;
  throw new CodedError(
    'conflict',
    `the catalog matched product ${String(product.id)} of ${answered}: it is not linked`,
  );
}
