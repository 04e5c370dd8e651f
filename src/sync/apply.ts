import { Injectable } from '@nestjs/common';
import type { CatalogProduct } from '../catalog/schemas.js';
import type { CatalogProductBody, Identifier } from '../domain/catalog-product.js';
import { CodedError, isCoded } from '../domain/errors.js';
import type { WithheldIdentifier } from '../domain/withheld-identifier.js';
import { ActionRepository, type AppliedAction } from '../persistence/action.repository.js';
import { Database } from '../persistence/database.js';
import type { SyncActionEntity, SyncRunEntity } from '../persistence/entities/index.js';
import { ownersByIdentifier } from '../persistence/identifier-owners.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { sharedSincePlan } from '../planner/identity.js';
import { catalogFields, sentCatalogFields } from '../planner/catalog-content.js';
import { fieldHashes, withoutIdentifiers } from '../planner/map-to-catalog.js';
import { killPoint } from '../runtime/kill-point.js';
import type { Store } from '../connections/connections.js';
import { presentOf } from './absence.js';
import { variantLinksOf } from './find-product.js';
import { LostLinkError } from './own-product.js';
import { ProductSender, type SendOptions, type Sent } from './product-sender.js';
import type { Outage } from './outage.js';
import type { Hold } from './run-hold.js';
import { RunInterruptedError } from './outage.js';
import { plannedChange } from './resolve-identities.js';

/** The outcome of an action. A background creation was accepted, and may still fail. */
type ActionOutcome = 'applied' | 'accepted' | 'failed';

type Owners = ReadonlyMap<string, readonly string[]>;

/** A run whose actions are carried out. */
export interface ApplyingRun
  extends Pick<SyncRunEntity, 'id' | 'startedUpTo'>, Pick<Hold, 'identifiersProved'> {
  /** Notes that its actions up to this one are started; throws when this worker no longer holds them. */
  readonly begin: (actionId: string) => Promise<void>;
  /**
   * Throws when another worker may have the run, for example after this process was paused. Then nothing may be sent.
   */
  readonly assertHeld: () => void;
}

interface ActionChunk {
  readonly actions: readonly SyncActionEntity[];
  readonly owners: Owners;
  readonly held: Awaited<ReturnType<ActionRepository['held']>>;
  readonly before: ReadonlyMap<string, CatalogProductBody | null>;
  /** Orphans that the store has again since the plan. */
  readonly back: ReadonlySet<string>;
}

interface StartedAction {
  readonly action: SyncActionEntity;
  /** The other owners of the actions' identifiers. */
  readonly owners: Owners;
  /** All identifiers that the catalog may hold for the product. */
  readonly held: readonly Identifier[];
  /** Identifiers of `held` that the product no longer has in the store. */
  readonly stale: readonly Identifier[];
  /** The body that an update's product was sent last; null where it is not known. */
  readonly before: CatalogProductBody | null;
  /** An orphan that the store has again since the plan. */
  readonly isBack: boolean;
  /** True when an earlier attempt may have carried the action out. */
  readonly attempted: boolean;
}

const IS_BACK = 'the store has the product again: it is not removed, and the next run reads it';

const CHUNK = 200;

/**
 * Carries out a run's open actions. A known id → PATCH of the changed fields, unknown → POST, 404 on PATCH → POST,
 * 409 → find and link. A 400 fails that action with the service's own messages, and the others continue. Throws
 * `RunInterruptedError` when the service is down or refuses us; what is open then stays planned.
 */
@Injectable()
export class Applier {
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
    onDone: () => void,
  ): Promise<void> {
    const { requestsAtOnce } = store.workspace.client;
    const underWay = new Set<Promise<void>>();
    const errors: unknown[] = [];
    try {
      for await (const started of this.#started(run, store)) {
        signal.throwIfAborted();
        // Once the service is down or refuses us, waiting actions are not tried.
        if (errors.length > 0) break;
        const work: Promise<void> = this.#carryOut(run, store, started, outage)
          .then(onDone, (error: unknown) => {
            errors.push(error);
          })
          .finally(() => underWay.delete(work));
        underWay.add(work);
        while (underWay.size >= requestsAtOnce) await Promise.race(underWay);
      }
    } finally {
      await Promise.all(underWay);
    }
    if (errors.length > 0) throw errors[0];
  }

  /**
   * Open actions, started a few at a time. If a worker dies, its last few may have been carried out, and the next
   * worker looks for them.
   */
  async *#started(run: ApplyingRun, store: Store): AsyncGenerator<StartedAction> {
    const { requestsAtOnce } = store.workspace.client;
    for await (const { actions, owners, held, before, back } of this.#chunks(run.id, store)) {
      for (let from = 0; from < actions.length; from += requestsAtOnce) {
        const some = actions.slice(from, from + requestsAtOnce);
        await run.begin(some.at(-1)?.id ?? run.startedUpTo);
        for (const action of some) {
          const known = held.get(action.externalId) ?? [];
          yield {
            action,
            owners,
            held: known,
            stale: known.filter(({ wanted }) => !wanted),
            before: before.get(action.id) ?? null,
            isBack: back.has(action.externalId),
            attempted: BigInt(action.id) <= BigInt(run.startedUpTo),
          };
        }
      }
    }
  }

  async *#chunks(runId: string, store: Store): AsyncGenerator<ActionChunk> {
    for (let after = '0'; ;) {
      const chunk = await this.actions.open(runId, after, CHUNK);
      if (chunk.length === 0) return;
      // Checked again right before sending: another store's run may have claimed the same identifier since the plan.
      const products = chunk.map((action) => action.externalId);
      const place = { workspace: store.workspace.key, store: store.key };
      const owners = await ownersByIdentifier(this.db, place, products);
      const orphans = chunk.filter((action) => action.kind === 'orphan');
      const updates = chunk.filter((action) => action.kind !== 'orphan' && action.catalogId !== null);
      yield {
        actions: chunk,
        owners,
        held: await this.actions.held(place, products),
        before: await this.actions.bodiesBefore(updates),
        back: await presentOf(store, orphans),
      };
      after = chunk.at(-1)?.id ?? after;
    }
  }

  /** Sends the action's product and records the outcome. Throws only what ends the run. */
  async #carryOut(run: ApplyingRun, store: Store, started: StartedAction, outage: Outage): Promise<void> {
    const { action, owners, attempted, stale, before } = started;
    if (action.kind === 'orphan') {
      if (started.isBack) return this.#failed(action, new CodedError('conflict', IS_BACK));
      await this.#orphan(run, store, started, outage);
      return;
    }
    const change = plannedChange(action);
    const withheld = [...change.withheld, ...sharedSincePlan(change, owners)];
    const body = withoutIdentifiers(change.body, withheld);
    try {
      const sent = await outage.through(async (repeat) => {
        killPoint('apply.started');
        return this.#send(store, action, body, {
          proved: run.identifiersProved && !action.unproved,
          attempted: repeat || attempted,
          stale,
          withheld,
          before,
          beforeSend: run.assertHeld,
        });
      });
      killPoint('apply.sent');
      const effect = await this.#effectOf(
        store,
        action,
        withheld,
        stale.length > 0 && sent.kind === 'product',
        sent,
      );
      await this.actions.applied(action, effect);
      killPoint('apply.recorded');
      this.#count(action.kind, sent.kind === 'product' ? 'applied' : 'accepted');
    } catch (error) {
      await this.#failed(action, error);
    }
  }

  async #orphan(
    run: ApplyingRun,
    store: Store,
    { action, held }: StartedAction,
    outage: Outage,
  ): Promise<void> {
    const { catalogId, externalId } = action;
    const deleted = store.settings.deleted === 'delete';
    try {
      if (catalogId === null && (await this.actions.putOffOrphan(action))) return;
      if (catalogId !== null) {
        const sender = ProductSender.of(store);
        await outage.through(() => sender.leave({ catalogId, externalId, deleted }, held, run.assertHeld));
      }
      await this.actions.orphaned(action, { unlinked: deleted });
      this.#count('orphan', 'applied');
    } catch (error) {
      if (!(error instanceof LostLinkError)) return this.#failed(action, error);
      await this.actions.orphaned(action, { unlinked: true, remark: `${error.message}: it is left alone` });
      this.#count('orphan', 'applied');
    }
  }

  /** Records a failure that concerns this action alone. The others go on. */
  async #failed(action: SyncActionEntity, error: unknown): Promise<void> {
    if (!isItsOwn(error)) throw error;
    await this.actions.failed(action.id, {
      code: error.code,
      message: `${error.message}${settingsToCheck(error)}`,
      ...(error.fields ? { fields: error.fields } : {}),
    });
    this.#count(action.kind, 'failed');
  }

  async #send(
    store: Store,
    action: SyncActionEntity,
    body: CatalogProductBody,
    options: SendOptions,
  ): Promise<Sent> {
    const sender = ProductSender.of(store);
    if (action.catalogId === null) return sender.create(body, options);
    try {
      return await sender.update(action.catalogId, body, action.fields, options);
    } catch (error) {
      if (!isCoded(error, 'not_found') && !(error instanceof LostLinkError)) throw error;
      const why = error instanceof LostLinkError ? error.message : 'its catalog product is gone';
      await this.actions.becomeCreation(action.id, `${why}, so it is created again`);
      action.kind = 'create';
      action.catalogId = null;
      action.wantsGeneration = true;
      action.unproved = true;
      return sender.create(body, { ...options, proved: false, attempted: false, before: null });
    }
  }

  /** The record of an action that the catalog carried out or accepted. */
  async #effectOf(
    store: Store,
    action: SyncActionEntity,
    withheld: readonly WithheldIdentifier[],
    released: boolean,
    sent: Sent,
  ): Promise<AppliedAction> {
    const { body } = sent;
    const metadata = body.metadata ?? {};
    const product = sent.kind === 'product' ? sent.product : null;
    return {
      workspace: store.workspace.key,
      withheld: sent.kind === 'product' ? [...withheld, ...sent.refused] : withheld,
      pushedFields: fieldHashes(body),
      catalogId: product === null ? null : String(product.id),
      creationTaskId: sent.kind === 'background' ? sent.taskId : null,
      released,
      variantLinks:
        product === null || body.variants === undefined
          ? {}
          : await this.#variantLinks(store, action, product),
      handle: typeof metadata['handle'] === 'string' ? metadata['handle'] : null,
      ...shownContent(store, action, product),
    };
  }

  /** Links variants from the response if it has them. Requests them only when the set of variants was just sent. */
  async #variantLinks(
    store: Store,
    action: SyncActionEntity,
    product: CatalogProduct,
  ): Promise<Record<string, string>> {
    if (action.kind !== 'create' && !action.fields.includes('variants')) return {};
    return variantLinksOf(store.workspace.client, product);
  }

  #count(kind: SyncActionEntity['kind'], outcome: ActionOutcome): void {
    this.metrics.actions.inc({ kind, outcome });
  }
}

/** Fields whose values the configuration names as the service's own, so that a refusal is the operator's to solve. */
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ['tags_to_update', 'mapping.tags'],
  ['product_lists', 'mapping.productLists'],
]);

function settingsToCheck({ fields = {} }: CodedError): string {
  const refused = Object.keys(fields).map((path) => path.split('.')[0] ?? '');
  const settings = new Set(refused.flatMap((field) => SETTINGS.get(field) ?? []));
  return settings.size === 0 ? '' : `; check ${[...settings].join(' and ')}`;
}

/**
 * The product's content in the response, to detect a later result. Only the sent fields of an update's response
 * count, because a generation may have filled the others meanwhile. With a locale, only a read with that locale is
 * comparable.
 */
function shownContent(
  { workspace }: Store,
  { kind, fields }: Pick<SyncActionEntity, 'kind' | 'fields'>,
  product: CatalogProduct | null,
): Pick<AppliedAction, 'catalogFields' | 'isWholeProduct'> {
  if (product === null || workspace.settings.locale !== undefined)
    return { catalogFields: null, isWholeProduct: false };
  return kind === 'update'
    ? { catalogFields: sentCatalogFields(product, fields), isWholeProduct: false }
    : { catalogFields: catalogFields(product), isWholeProduct: true };
}

/** After a failure of a single action the others continue. Any other error ends the run. */
function isItsOwn(error: unknown): error is CodedError {
  return error instanceof CodedError && !(error instanceof RunInterruptedError);
}
