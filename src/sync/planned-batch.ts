import { setImmediate } from 'node:timers/promises';
import { errorLine } from '../domain/errors.js';
import type { OwedProduct } from '../domain/owed.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import type { SourceProduct } from '../domain/store-port.js';
import type { LinkRow, FirstSeen, NewAction, UnchangedProduct } from '../persistence/plan-rows.js';
import type { Plan } from '../persistence/plan.js';
import { identifiersOf } from '../planner/map-to-catalog.js';
import { planProduct, type ProductPlan } from '../planner/plan-product.js';
import { reasonOutOfScope } from '../planner/scope.js';
import type { Store } from '../connections/connections.js';

/** How many products were read, seen within the filter, and found unchanged. */
export interface Tally {
  read: number;
  seen: number;
  unchanged: number;
}

/** The part of a store that decides what is planned. */
type PlanningStore = Pick<Store, 'rules' | 'generatedFields'> & {
  readonly settings: Pick<Store['settings'], 'filter'>;
};

/** The result of planning a batch. */
export class Findings {
  readonly changes: NewAction[] = [];
  /** Products whose fingerprint has changed with the rules that it is made by. */
  readonly unchanged: UnchangedProduct[] = [];
  /** Products that cannot be planned now: they are owed to the next run. */
  readonly putOff: OwedProduct[] = [];

  get size(): number {
    return this.changes.length + this.unchanged.length + this.putOff.length;
  }

  async write(plan: Plan): Promise<void> {
    await plan.actions.add(this.changes);
    await plan.reads.rememberUnchanged(this.unchanged);
    await plan.reads.putOff(this.putOff);
  }
}

/** Products that are planned before others use the event loop: some milliseconds. */
const PLANNED_AT_ONCE = 25;

/** Plans the products of a batch that the run meets for the first time. Pauses every few products, so that deliveries are answered. */
export async function planBatch(
  store: PlanningStore,
  batch: readonly SourceProduct[],
  fresh: FirstSeen,
  findings: Findings,
  tally: Tally,
): Promise<void> {
  tally.read += fresh.size;
  const planned = new Set<string>();
  for (const product of batch) {
    const { externalId } = product;
    const link = fresh.get(externalId);
    if (link === undefined || planned.has(externalId)) continue;
    planned.add(externalId);
    const found = planFound(store, product, link, findings);
    if (found !== null) tally.seen += 1;
    if (found === 'unchanged') tally.unchanged += 1;
    if (planned.size % PLANNED_AT_ONCE === 0) await setImmediate();
  }
}

/** Plans one product. Returns null when the store's settings leave it out; a product that is put off counts as unchanged. */
export function planFound(
  store: PlanningStore,
  product: SourceProduct,
  link: LinkRow | null,
  { changes, unchanged, putOff }: Findings,
): 'changed' | 'unchanged' | null {
  const plan = planOne(store, product, link);
  if (plan === null) return null;
  switch (plan.kind) {
    case 'put_off':
      putOff.push(plan.owed);
      return 'unchanged';
    case 'unchanged':
      if (link !== null && plan.fingerprintMoved)
        unchanged.push({
          externalId: link.externalId,
          before: link.sourceFingerprint,
          fingerprint: plan.sourceFingerprint,
        });
      return 'unchanged';
    default:
      changes.push({ ...plan, identifiers: identifiersOf(plan.body) });
      return 'changed';
  }
}

type PlannedProduct =
  | Exclude<ProductPlan, { readonly kind: 'put_off' }>
  | { readonly kind: 'put_off'; readonly owed: OwedProduct };

/**
 * The plan of one product; null when the store's settings leave it out. An error concerns this product alone: it is owed with the
 * reason, and the run goes on with the others.
 */
function planOne(store: PlanningStore, product: SourceProduct, link: LinkRow | null): PlannedProduct | null {
  const { externalId, storeId } = product;
  let label = '';
  if (product.isLeftOut === true) return null;
  try {
    const snapshot = product.snapshot();
    label = snapshot.title;
    if (reasonOutOfScope(snapshot, store.settings.filter) !== null) return null;
    const plan = planProduct(snapshot, link, store.rules, store.generatedFields);
    if (plan.kind !== 'put_off') return plan;
    if (link?.writing === true && isAsPushed(store, snapshot, link))
      return { kind: 'unchanged', sourceFingerprint: link.sourceFingerprint ?? '', fingerprintMoved: false };
    return { kind: 'put_off', owed: { externalId, storeId, label, code: plan.code, detail: null } };
  } catch (error) {
    const detail = errorLine(error);
    return { kind: 'put_off', owed: { externalId, storeId, label, code: 'not_understood', detail } };
  }
}

/** A write-back that waits has changed nothing of such a product: nothing is put off with it. */
function isAsPushed(
  { rules, generatedFields }: PlanningStore,
  snapshot: ProductSnapshot,
  link: LinkRow,
): boolean {
  const plan = planProduct(snapshot, { ...link, writing: false }, rules, generatedFields);
  return plan.kind === 'unchanged' && !plan.fingerprintMoved;
}
