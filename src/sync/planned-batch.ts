import { setImmediate } from 'node:timers/promises';
import { errorLine } from '../domain/errors.js';
import type { OwedProduct } from '../domain/owed.js';
import type { SourceProduct } from '../domain/store-port.js';
import {
  plannedAction,
  type LinkBaseRow,
  type LinkRow,
  type MetProducts,
  type PlannedAction,
  type UnchangedProduct,
} from '../persistence/plan-rows.js';
import type { PlanTransaction } from '../persistence/plan-transaction.js';
import { identifiersOf } from '../planner/map-to-catalog.js';
import { planProduct, planUnlessChanged, type ProductPlan } from '../planner/plan-product.js';
import { reasonOutOfScope } from '../planner/scope.js';
import type { Store } from '../sites/sites.js';
import type { OfferedProducts } from './run-fingerprints.js';

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
  readonly changes: PlannedAction[] = [];
  readonly unchanged: UnchangedProduct[] = [];
  /** Products that cannot be planned now: they are owed to the next run. */
  readonly putOff: OwedProduct[] = [];

  get size(): number {
    return this.changes.length + this.unchanged.length + this.putOff.length;
  }

  async write(plan: PlanTransaction): Promise<void> {
    await plan.actions.add(this.changes);
    await plan.reads.rememberUnchanged(this.unchanged);
    await plan.owed.putOff(this.putOff);
  }
}

/** A batch and the knowledge about its products that may have changed. */
export interface MetBatch {
  readonly batch: readonly SourceProduct[];
  /** The digest of each product's read by external_id, null where it has none. */
  readonly marks: ReadonlyMap<string, string | null>;
  readonly met: MetProducts;
  /** Those of the products that another thread may parse. */
  readonly offered: OfferedProducts;
}

/** Products that are planned before others use the event loop: some milliseconds. */
const PLANNED_AT_ONCE = 25;

/** Reads the links of products, with the fields that were pushed. */
export type ReadLinks = (externalIds: readonly string[]) => Promise<ReadonlyMap<string, LinkRow>>;

/**
 * Plans the products of a batch that may have changed and that the settings include. It pauses every few products, so that the
 * statements of other batches go on, and deliveries are answered. The fields that were pushed are half of a link, and only products
 * that changed are compared with them, so that they are read for these alone.
 */
export async function planMet(
  store: PlanningStore,
  { batch, marks, met, offered }: MetBatch,
  readLinks: ReadLinks,
  findings: Findings,
  tally: Tally,
): Promise<void> {
  const unmoved = met.met - met.moved.size;
  tally.read += met.met;
  tally.seen += unmoved;
  tally.unchanged += unmoved;
  if (met.moved.size === 0) return;
  const markOf = ({ externalId }: SourceProduct): string | null => marks.get(externalId) ?? null;
  const planned = new Set<string>();
  const toCompare = new Map<string, SourceProduct>();
  /** Returns whether it is time for other work. */
  const plan = (product: SourceProduct, link: LinkBaseRow | null): boolean => {
    planned.add(product.externalId);
    const found = planFound(store, product, link, markOf(product), findings);
    if (isToCompare(found)) toCompare.set(product.externalId, found);
    else count(tally, found);
    return planned.size % PLANNED_AT_ONCE === 0;
  };
  for (const product of batch) {
    const link = met.moved.get(product.externalId);
    if (link === undefined || offered.has(product.externalId) || planned.has(product.externalId)) continue;
    if (plan(product, link)) await setImmediate();
  }
  for (let back = offered.takeBack(); back !== null; back = offered.takeBack())
    for (const { product, link } of back) if (plan(product, link)) await setImmediate();
  for await (const found of offered.found()) {
    for (const { product, link, unchanged } of found) {
      if (unchanged) {
        noteUnchanged(findings.unchanged, link, markOf(product), null);
        count(tally, 'unchanged');
      } else if (plan(product, link)) await setImmediate();
    }
  }
  if (toCompare.size === 0) return;
  const links = await readLinks([...toCompare.keys()]);
  for (const [index, product] of inOrder(toCompare, batch).entries()) {
    if (index % PLANNED_AT_ONCE === 0) await setImmediate();
    const link = links.get(product.externalId) ?? null;
    count(tally, planFound(store, product, link, markOf(product), findings));
  }
}

/** The products in the order of the batch, whichever thread was the first to be done with one. */
function inOrder(
  products: ReadonlyMap<string, SourceProduct>,
  batch: readonly SourceProduct[],
): SourceProduct[] {
  const ids = new Set(batch.map(({ externalId }) => externalId));
  return [...ids].flatMap((externalId) => products.get(externalId) ?? []);
}

type Found = 'changed' | 'unchanged' | null;

function isToCompare(found: Found | SourceProduct): found is SourceProduct {
  return typeof found === 'object' && found !== null;
}

function count(tally: Tally, found: Found): void {
  if (found === null) return;
  tally.seen += 1;
  if (found === 'unchanged') tally.unchanged += 1;
}

/**
 * Plans one product. Returns null when the store's settings leave it out; a product that is put off counts as unchanged. `readMark` is
 * the digest of the read, null where it has none. A link without the fields that were pushed may not be enough: then nothing is planned,
 * and the product is returned with what was read of it.
 */
export function planFound(
  store: PlanningStore,
  product: SourceProduct,
  link: LinkRow | null,
  readMark: string | null,
  findings: Findings,
): Found;
export function planFound(
  store: PlanningStore,
  product: SourceProduct,
  link: LinkBaseRow | null,
  readMark: string | null,
  findings: Findings,
): Found | SourceProduct;
export function planFound(
  store: PlanningStore,
  product: SourceProduct,
  link: LinkRow | LinkBaseRow | null,
  readMark: string | null,
  { changes, unchanged, putOff }: Findings,
): Found | SourceProduct {
  const plan = planOne(store, product, link);
  if (plan === null) return null;
  switch (plan.kind) {
    case 'to_compare':
      return plan.product;
    case 'put_off':
      putOff.push(plan.owed);
      return 'unchanged';
    case 'unchanged':
      if (link !== null)
        noteUnchanged(unchanged, link, readMark, plan.fingerprintMoved ? plan.sourceFingerprint : null);
      return 'unchanged';
    default:
      changes.push(plannedAction({ ...plan, readMark, identifiers: identifiersOf(plan.body) }));
      return 'changed';
  }
}

/**
 * A product with a withheld identifier has no mark: it is planned in full until the identifier is free. `fingerprint`: null where the
 * link has it.
 */
function noteUnchanged(
  unchanged: UnchangedProduct[],
  { externalId, revision, state, withheld }: LinkBaseRow,
  readMark: string | null,
  fingerprint: string | null,
): void {
  const mark = state === 'linked' && withheld.length === 0 ? readMark : null;
  if (mark !== null || fingerprint !== null) unchanged.push({ externalId, revision, mark, fingerprint });
}

type PlannedProduct =
  | Exclude<ProductPlan, { readonly kind: 'put_off' }>
  | { readonly kind: 'put_off'; readonly owed: OwedProduct }
  | { readonly kind: 'to_compare'; readonly product: SourceProduct };

/**
 * The plan of one product; null when the store's settings leave it out. An error concerns this product alone: it is owed with the
 * reason, and the run goes on with the others.
 */
function planOne(
  store: PlanningStore,
  product: SourceProduct,
  link: LinkRow | LinkBaseRow | null,
): PlannedProduct | null {
  const { externalId, storeId } = product;
  let label = '';
  try {
    const snapshot = product.snapshot();
    label = snapshot.title;
    if (reasonOutOfScope(snapshot, store.settings.filter) !== null) return null;
    const plan =
      link === null || 'pushedFields' in link
        ? planProduct(snapshot, link, store.rules, store.generatedFields)
        : planUnlessChanged(snapshot, link, store.rules);
    if (plan === null)
      return { kind: 'to_compare', product: { externalId, storeId, digest: null, snapshot: () => snapshot } };
    if (plan.kind !== 'put_off') return plan;
    return { kind: 'put_off', owed: { externalId, storeId, label, code: plan.code, detail: null } };
  } catch (error) {
    const detail = errorLine(error);
    return { kind: 'put_off', owed: { externalId, storeId, label, code: 'not_understood', detail } };
  }
}
