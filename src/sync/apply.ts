import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import type { CatalogProduct } from '../catalog/schemas.js';
import { CATALOG_FIELDS, type CatalogProductBody } from '../domain/catalog-product.js';
import { CodedError, isCoded } from '../domain/errors.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { ActionRepository, type AppliedAction } from '../persistence/action.repository.js';
import { Database } from '../persistence/database.js';
import type { SyncActionEntity, SyncRunEntity } from '../persistence/entities/index.js';
import { ownersByIdentifier } from '../persistence/identifier-owners.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { alsoShared } from '../planner/identity.js';
import { catalogFields, sentCatalogFields } from '../planner/catalog-content.js';
import { fieldHashes, withoutIdentifiers } from '../planner/map-to-catalog.js';
import { patchBody } from '../planner/plan-product.js';
import { killPoint } from '../runtime/kill-point.js';
import type { Store } from '../sites/sites.js';
import { findByExternalId, variantLinksOf } from './find-product.js';
import { oneAhead } from './one-ahead.js';
import { Together } from './together.js';
import type { Outage } from './outage.js';
import { RunInterruptedError } from './outage.js';
import { plannedChange } from './planning.js';

/** Where an action led: a product of the catalog, or a creation that goes on in the background. */
type Landing =
  | { readonly kind: 'product'; readonly product: CatalogProduct }
  | { readonly kind: 'background'; readonly taskId: string };

/** What became of an action; a creation in the background has been accepted, and may still fail there. */
type ActionOutcome = 'applied' | 'accepted' | 'failed';

/** Runs it when one of the allowed requests is free or about to be; not any more once the run has to end. */
type InTurn = <T>(send: () => Promise<T>) => Promise<T>;

type Bearers = ReadonlyMap<string, readonly string[]>;

/** A run whose actions are carried out. */
export interface ApplyingRun extends Pick<SyncRunEntity, 'id' | 'begunTo'> {
  /** Notes that its actions up to this one are begun; throws when they are not this worker's any more. */
  readonly begin: (actionId: string) => Promise<void>;
  /** Throws when another worker may have the run, as after this process stood still: nothing may be sent then. */
  readonly assertHeld: () => void;
}

interface BegunAction {
  readonly action: SyncActionEntity;
  /** Who else bears the identifiers of the actions read with it. */
  readonly bearers: Bearers;
  /** It may have been carried out before. */
  readonly attempted: boolean;
}

const CHUNK = 200;
/** Actions under way for each request that may be: while some are asked for, what became of others is recorded. */
const AHEAD = 3;
/** So many more requests, as a share of those that may be under way, are made ready for the client to send as soon as it may. */
const PREPARED = 1 / 4;
/** What became of actions is recorded together with what becomes of others so soon after. */
const RECORDED_WITHIN_MS = 10;

/**
 * Carries out a run's open actions: known id → PATCH of the changed fields, unknown → POST, 404 on PATCH → POST, 409 →
 * find and link, 400 → that action fails with the service's own messages and the others go on.
 * Throws `RunInterruptedError` when the service is down or refuses us; what is open then stays planned.
 */
@Injectable()
export class Applier {
  readonly #records = new Together<AppliedAction>(
    (results) => this.actions.applied(results),
    RECORDED_WITHIN_MS,
  );

  constructor(
    private readonly db: Database,
    private readonly actions: ActionRepository,
    private readonly metrics: Metrics,
  ) {}

  async apply(
    run: ApplyingRun,
    store: Store,
    outage: Outage,
    signal: AbortSignal,
    onSettled: () => void,
  ): Promise<void> {
    const { concurrency } = store.workspace.settings;
    const underWay = new Set<Promise<void>>();
    // Once the service is down or refuses us, what is still waiting for its turn is not tried as well.
    const halted: { by: { readonly error: unknown } | null } = { by: null };
    const limit = pLimit(concurrency + Math.floor(concurrency * PREPARED));
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
    const settle = async (begun: BegunAction): Promise<void> => {
      try {
        await this.#settle(run, store, begun, outage, inTurn);
        onSettled();
      } catch (error) {
        halted.by ??= { error };
      }
    };
    try {
      for await (const begun of this.#begun(run, store)) {
        while (underWay.size >= concurrency * AHEAD) await Promise.race(underWay);
        signal.throwIfAborted();
        if (halted.by !== null) break;
        const work: Promise<void> = settle(begun).finally(() => underWay.delete(work));
        underWay.add(work);
      }
    } finally {
      await Promise.all(underWay);
    }
    if (halted.by !== null) throw halted.by.error;
  }

  /**
   * Actions that still have to be carried out, begun a few at a time: of those a worker that dies leaves open, the last few may have
   * been carried out, and are looked for by the next.
   */
  async *#begun(run: ApplyingRun, store: Store): AsyncGenerator<BegunAction> {
    const { concurrency } = store.workspace.settings;
    for await (const { actions, bearers } of oneAhead(this.#chunks(run.id, store))) {
      for (let from = 0; from < actions.length; from += concurrency) {
        const some = actions.slice(from, from + concurrency);
        await run.begin(some.at(-1)?.id ?? run.begunTo);
        for (const action of some) {
          const attempted = action.attempts > 0 || BigInt(action.id) <= BigInt(run.begunTo);
          yield { action, bearers, attempted };
        }
      }
    }
  }

  async *#chunks(
    runId: string,
    store: Store,
  ): AsyncGenerator<{ readonly actions: readonly SyncActionEntity[]; readonly bearers: Bearers }> {
    for (let after = '0'; ;) {
      const chunk = await this.actions.open(runId, after, CHUNK);
      if (chunk.length === 0) return;
      // Asked again just before sending: another store's run may have brought the same identifier since the plan.
      const bearers = await ownersByIdentifier(
        this.db,
        store.workspace.key,
        chunk.map((action) => action.externalId),
      );
      yield { actions: chunk, bearers };
      after = chunk.at(-1)?.id ?? after;
    }
  }

  async #settle(
    run: ApplyingRun,
    store: Store,
    { action, bearers, attempted }: BegunAction,
    outage: Outage,
    inTurn: InTurn,
  ): Promise<void> {
    if (action.kind === 'orphan') {
      await this.actions.orphaned(action);
      this.#count('orphan', 'applied');
      return;
    }
    const change = plannedChange(action);
    const withheld = [...change.withheld, ...alsoShared(change, bearers)];
    const body = withoutIdentifiers(change.body, withheld);
    try {
      const landing = await inTurn(() =>
        outage.through(async (repeat) => {
          killPoint('apply.begun');
          return this.#send(store, action, body, repeat || attempted, run.assertHeld);
        }),
      );
      killPoint('apply.sent');
      await this.#record(store, action, body, withheld, landing);
      killPoint('apply.recorded');
      this.#count(action.kind, landing.kind === 'product' ? 'applied' : 'accepted');
    } catch (error) {
      if (!isItsOwn(error)) throw error;
      await this.actions.failed(action.id, {
        code: error.code,
        message: error.message,
        ...(error.fields ? { fields: error.fields } : {}),
      });
      this.#count(action.kind, 'failed');
    }
  }

  async #send(
    store: Store,
    action: SyncActionEntity,
    body: CatalogProductBody,
    attempted: boolean,
    beforeSend: () => void,
  ): Promise<Landing> {
    if (action.kind === 'create' || action.catalogId === null)
      return this.#create(store, body, attempted, beforeSend);
    try {
      const fields = CATALOG_FIELDS.filter((field) => action.fields.includes(field));
      const patch = { ...patchBody(body, fields), external_id: body.external_id };
      return {
        kind: 'product',
        product: await store.workspace.client.updateProduct(action.catalogId, patch, { beforeSend }),
      };
    } catch (error) {
      if (!isCoded(error, 'not_found')) throw error;
      await this.actions.becomeCreation(action.id);
      action.kind = 'create';
      action.catalogId = null;
      action.wantsGeneration = true;
      return this.#create(store, body, false, beforeSend);
    }
  }

  /** POST; after an earlier try of unknown outcome the product is looked for first, so that none is made twice. */
  async #create(
    store: Store,
    body: CatalogProductBody,
    attempted: boolean,
    beforeSend: () => void,
  ): Promise<Landing> {
    const { client } = store.workspace;
    if (attempted) {
      const found = await findByExternalId(client, body);
      if (found)
        return {
          kind: 'product',
          product: await client.updateProduct(String(found.id), body, { beforeSend }),
        };
    }
    try {
      const result = await client.upsertProduct(body, { beforeSend });
      if (result.kind === 'background') return { kind: 'background', taskId: result.taskId };
      assertOurs(result.product, body);
      return { kind: 'product', product: result.product };
    } catch (error) {
      if (!isCoded(error, 'conflict')) throw error;
      const found = await findByExternalId(client, body);
      if (!found) throw error;
      return { kind: 'product', product: await client.updateProduct(String(found.id), body, { beforeSend }) };
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
    await this.#records.do({
      actionId: action.id,
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
      ...shownContent(store, action, product),
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

  #count(kind: SyncActionEntity['kind'], outcome: ActionOutcome): void {
    this.metrics.actions.inc({ kind, outcome });
  }
}

/**
 * What the answer shows of the product's content, to tell a result from it later. An update's answer speaks of the sent fields
 * alone: a generation may have filled the others meanwhile. With a locale, only a read with that locale is comparable.
 */
function shownContent(
  { workspace }: Store,
  { kind, fields }: SyncActionEntity,
  product: CatalogProduct | null,
): Pick<AppliedAction, 'catalogFields' | 'isWholeProduct'> {
  if (product === null || workspace.settings.locale !== undefined)
    return { catalogFields: null, isWholeProduct: false };
  return kind === 'update'
    ? { catalogFields: sentCatalogFields(product, fields), isWholeProduct: false }
    : { catalogFields: catalogFields(product), isWholeProduct: true };
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
