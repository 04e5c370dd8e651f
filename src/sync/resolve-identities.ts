import { setImmediate } from 'node:timers/promises';
import { CodedError, errorLine } from '../domain/errors.js';
import { parseExternalId, productExternalId } from '../domain/external-id.js';
import type { SyncActionEntity } from '../persistence/entities/index.js';
import type { DroppedAction, ReplacedAction, UndecidedAction } from '../persistence/plan-actions.js';
import type { Plan } from '../persistence/plan.js';
import { resolveIdentity, valueKey, type CatalogHolder, type ResolvedIdentity } from '../planner/identity.js';
import { identifiersOf } from '../planner/map-to-catalog.js';
import type { PlannedChange } from '../planner/plan-product.js';
import type { Store } from '../connections/connections.js';
import { fillCatalogView, type ListingView } from './catalog-view.js';
import type { ListingRequest } from './workspace-listing.js';

/** Settles the identity of the plan's actions against store and catalog; `unchanged` actions came to nothing. */
export async function resolveIdentities(
  plan: Plan,
  store: Store,
  request: ListingRequest,
  listing: ListingView | null = null,
): Promise<{ readonly unchanged: number; readonly proved: boolean }> {
  if (!(await plan.identities.areNeeded())) return { unchanged: 0, proved: false };
  const proved = await fillCatalogView(plan, store.workspace, listing, request);
  const contested = await plan.identities.contested();
  const ids = await plan.identities.toResolve();
  let unchanged = 0;
  for (let from = 0; from < ids.length; from += RESOLVE_BATCH) {
    const actions = await plan.identities.actions(ids.slice(from, from + RESOLVE_BATCH));
    unchanged += await resolveBatch(plan, store, actions, contested);
  }
  await plan.identities.planReleases();
  return { unchanged, proved };
}

const RESOLVE_BATCH = 500;
/** Actions that are settled before others use the event loop: some milliseconds. */
const RESOLVED_AT_ONCE = 25;

/** Returns how many of the actions became no-ops. */
async function resolveBatch(
  plan: Plan,
  store: Store,
  actions: readonly SyncActionEntity[],
  contested: ReadonlySet<string>,
): Promise<number> {
  const replaced: ReplacedAction[] = [];
  const dropped: DroppedAction[] = [];
  const undecided: UndecidedAction[] = [];
  const resolve = await identityResolver(plan, store, actions, contested);
  for (const [index, action] of actions.entries()) {
    if (index % RESOLVED_AT_ONCE === 0) await setImmediate();
    const { id, externalId, storeId, label } = action;
    try {
      const resolved = resolve(plannedChange(action));
      if (resolved.kind === 'unchanged') dropped.push({ id, withheld: resolved.withheld });
      else if (differs(action, resolved.change)) replaced.push({ id, change: resolved.change });
    } catch (error) {
      // The identity of this product cannot be decided. The other products are not affected.
      undecided.push({ id, externalId, storeId, label, code: 'not_understood', detail: errorLine(error) });
    }
  }
  await plan.actions.setAside(undecided);
  await plan.actions.drop(dropped);
  await plan.actions.replace(replaced);
  return undecided.length + dropped.length;
}

/** What decides the identity of a change of one of these products, with all that is known of their identifiers. */
export async function identityResolver(
  plan: Plan,
  store: Store,
  actions: readonly Pick<SyncActionEntity, 'externalId'>[],
  contested: ReadonlySet<string>,
): Promise<(change: PlannedChange) => ResolvedIdentity> {
  const { identities } = plan;
  const products = actions.map((action) => action.externalId);
  const links = await plan.reads.links(products);
  const owners = await identities.owners(products);
  const ownIds = await identities.ownCatalogIds(products);
  const holders = (await identities.holders(products)).filter(
    (row): row is CatalogHolder => row.kind !== null && row.value !== null,
  );
  const known = await identities.known(
    holders.flatMap(({ externalId }) => {
      const ref = externalId === null ? null : parseExternalId(externalId);
      return ref === null ? [] : [productExternalId(ref.store, ref.productId)];
    }),
  );
  const holdersByKey = Map.groupBy(holders, valueKey);
  return (change) => {
    const own = identifiersOf(change.body).flatMap((each) => holdersByKey.get(valueKey(each)) ?? []);
    const ownCatalogId = ownIds.get(change.externalId) ?? null;
    const mayAdopt = !store.isInstalled;
    const view = { owners, holders: own, ownCatalogId, contested, known, mayAdopt };
    return resolveIdentity(change, links.get(change.externalId) ?? null, view, store.generatedFields);
  };
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
