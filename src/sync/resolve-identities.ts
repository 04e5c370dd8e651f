import { setImmediate } from 'node:timers/promises';
import { CodedError, errorLine } from '../domain/errors.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import type { OwedProduct } from '../domain/owed.js';
import type { SyncActionEntity } from '../persistence/entities/index.js';
import type { DroppedAction, ReplacedAction } from '../persistence/plan-actions.js';
import type { PlanTransaction } from '../persistence/plan-transaction.js';
import { resolveIdentity, valueKey, type CatalogHolder, type ResolvedIdentity } from '../planner/identity.js';
import { identifiersOf } from '../planner/map-to-catalog.js';
import type { PlannedChange } from '../planner/plan-product.js';
import type { Store } from '../sites/sites.js';
import { fillCatalogView, type ListingView } from './catalog-view.js';
import type { ListingRequest } from './workspace-listing.js';

/** Settles the identity of what the transaction holds against store and catalog; `unchanged` actions came to nothing. */
export async function resolveIdentities(
  plan: PlanTransaction,
  store: Store,
  request: ListingRequest,
  listing: ListingView | null = null,
): Promise<{ readonly unchanged: number; readonly proved: boolean }> {
  if (!(await plan.catalog.prepareHolders())) return { unchanged: 0, proved: false };
  const proved = await fillCatalogView(plan, store.workspace, listing, request);
  const unchanged = await resolveActions(plan, store);
  await plan.actions.planReleases();
  return { unchanged, proved };
}

const RESOLVE_BATCH = 500;
/** Actions that are settled before others use the event loop: some milliseconds. */
const RESOLVED_AT_ONCE = 25;

/** Settles the identity of each action with an identifier. Returns how many became no-ops. */
async function resolveActions(plan: PlanTransaction, store: Store): Promise<number> {
  const contested = await plan.catalog.contestedHolders();
  let unchanged = 0;
  for (let after = '0'; ;) {
    const actions = await plan.catalog.actionsToResolve(after, RESOLVE_BATCH);
    if (actions.length === 0) return unchanged;
    unchanged += await resolveBatch(plan, store, actions, contested);
    after = actions.at(-1)?.id ?? after;
  }
}

async function resolveBatch(
  plan: PlanTransaction,
  store: Store,
  actions: readonly SyncActionEntity[],
  contested: ReadonlySet<string>,
): Promise<number> {
  const products = actions.map((action) => action.externalId);
  const [links, owners, holders, ownIds] = [
    await plan.reads.links(products),
    await plan.catalog.owners(products),
    (await plan.catalog.holders(products)).filter(
      (row): row is CatalogHolder => row.kind !== null && row.value !== null,
    ),
    await plan.catalog.ownCatalogIds(products),
  ];
  const known = await plan.catalog.known(
    holders.flatMap(({ externalId }) => {
      const ref = externalId === null ? null : parseExternalId(externalId);
      return ref === null ? [] : [productExternalId(ref.shop, ref.productId)];
    }),
  );
  const holdersByKey = Map.groupBy(holders, valueKey);
  const resolvedOne = (
    action: SyncActionEntity,
  ): { readonly resolved: ResolvedIdentity } | { reason: string } => {
    try {
      const change = plannedChange(action);
      const own = identifiersOf(change.body).flatMap((each) => holdersByKey.get(valueKey(each)) ?? []);
      const { externalId } = action;
      const view = {
        owners,
        holders: own,
        ownCatalogId: ownIds.get(externalId) ?? null,
        contested,
        known,
        mayAdopt: !store.isInstalled,
      };
      return {
        resolved: resolveIdentity(change, links.get(externalId) ?? null, view, store.generatedFields),
      };
    } catch (error) {
      return { reason: errorLine(error) };
    }
  };
  const replaced: ReplacedAction[] = [];
  const dropped: DroppedAction[] = [];
  const undecided: (OwedProduct & Pick<SyncActionEntity, 'id'>)[] = [];
  for (const [index, action] of actions.entries()) {
    if (index % RESOLVED_AT_ONCE === 0) await setImmediate();
    const { id, externalId, storeId, label } = action;
    const found = resolvedOne(action);
    if ('reason' in found) {
      // Its identity cannot be decided. That is this product's fault alone.
      undecided.push({ id, externalId, storeId, label, code: 'not_understood', detail: found.reason });
    } else if (found.resolved.kind === 'unchanged') {
      dropped.push({ id, externalId, withheld: found.resolved.withheld });
    } else if (differs(action, found.resolved.change)) {
      replaced.push({ id, change: found.resolved.change });
    }
  }
  await plan.actions.setAside(undecided.map(({ id }) => id));
  await plan.owed.putOff(undecided.map(({ id: _id, ...owed }) => owed));
  await plan.actions.drop(dropped);
  await plan.actions.replace(replaced);
  return undecided.length + dropped.length;
}

/** The planner's view of a stored action. */
export function plannedChange(action: SyncActionEntity): PlannedChange {
  if (action.body === null || action.kind === 'orphan' || action.sourceFingerprint === null) {
    throw new CodedError('invalid', `action ${action.id} (${action.kind}) holds no product`);
  }
  return {
    kind: action.kind,
    externalId: action.externalId,
    storeId: action.storeId,
    label: action.label,
    catalogId: action.catalogId,
    reason: action.reason,
    fields: action.fields,
    body: action.body,
    withheld: action.withheld,
    sourceFingerprint: action.sourceFingerprint,
    seen: action.seen,
    wantsGeneration: action.wantsGeneration,
    recreated: action.recreated,
  };
}

function differs(action: SyncActionEntity, change: PlannedChange): boolean {
  return (
    action.kind !== change.kind ||
    action.catalogId !== change.catalogId ||
    action.fields.length !== change.fields.length ||
    action.withheld.length !== change.withheld.length ||
    change.withheld.length > 0
  );
}
