import { valueHash } from '../../src/domain/written-content.js';
import type { TestStore } from '../support/sandbox/test-store.js';
import { deliveryOf, type Delivery } from '../fault/deliveries.js';
import type { World } from '../support/e2e-world.js';
import { SHOP, STORE, WORKSPACE } from '../fault/fault-world.js';
import { productBehind, type Verdict } from '../fault/history.js';

/** The deliveries in the order of sending, and the merchants' earlier edits by external id. */
export interface SoakPlan {
  readonly deliveries: readonly Delivery[];
  readonly edits: ReadonlyMap<string, { readonly title: string }>;
  /** The title that each product must have in the end, by external id. Products that are not named keep theirs. */
  readonly titles: ReadonlyMap<string, string>;
}

export interface SoakProduct {
  readonly gid: string;
  readonly externalId: string;
  readonly catalogId: number;
  readonly title: string;
  readonly html: string;
}

const SECOND_SHARE = 0.5;
const FAILED_SHARE = 0.1;
const NO_URLS_SHARE = 0.05;
const EDITED_SHARE = 0.03;
const CATALOG_IDS_FROM = 1_000;

/**
 * Products that are linked and have a generation request, and their results. Half of them get a second, newer result
 * that was not requested. Some fail, some find no sources; some titles were edited by the merchant after they were
 * read. The order of sending is shuffled, so that newer results overtake older ones.
 */
export async function planSoak(world: World, count: number, random: () => number): Promise<SoakPlan> {
  const products: SoakProduct[] = [];
  const results = new PlannedResults(count, random);
  while (results.deliveries.length < count) {
    const product = seedProduct(world.store, products.length);
    products.push(product);
    results.add(product);
  }
  await seedRows(world, products, results.began);
  edit([world.store], results.edits);
  return results.plan();
}

/** The merchants' edits. */
export function edit(
  stores: readonly TestStore[],
  edits: ReadonlyMap<string, { readonly title: string }>,
): void {
  for (const [externalId, change] of edits) {
    const product = productBehind(stores, externalId);
    const store = stores.find(({ shop }) => externalId.startsWith(`shopify:${shop}:`));
    if (product !== undefined) store?.products.merchantEdit(product.gid, change);
  }
}

/** Results of one product after the other, until there are as many as asked for. */
export class PlannedResults {
  readonly deliveries: Delivery[] = [];
  readonly edits = new Map<string, { title: string }>();
  readonly began = new Date(Date.now() - 600_000);
  private readonly titles = new Map<string, string>();
  private products = 0;

  constructor(
    private readonly count: number,
    private readonly random: () => number,
  ) {}

  /** False when there are enough: the product gets none. */
  add(product: SoakProduct): boolean {
    if (this.deliveries.length >= this.count) return false;
    const index = this.products++;
    const { random, deliveries, edits } = this;
    if (random() < EDITED_SHARE)
      edits.set(product.externalId, { title: `The merchant's own title ${String(index)}` });
    for (const generation of random() < SECOND_SHARE ? [1, 2] : [1]) {
      if (deliveries.length >= this.count) break;
      const roll = generation === 1 ? random() : 1;
      const action =
        roll < FAILED_SHARE
          ? 'product_generation_failed'
          : roll < FAILED_SHARE + NO_URLS_SHARE
            ? 'product_generation_no_urls'
            : 'product_generated';
      const name = `Generated title ${String(index)}, take ${String(generation)}`;
      if (action === 'product_generated' && !edits.has(product.externalId))
        this.titles.set(product.externalId, name);
      deliveries.push(
        deliveryOf({
          action,
          externalId: product.externalId,
          catalogId: product.catalogId,
          taskId: taskIdOf(product, generation),
          createdAt: new Date(this.began.getTime() + generation * 60_000),
          content: {
            name,
            html_description: `<p>Generated text ${String(index)}, take ${String(generation)}.</p>`,
          },
        }),
      );
    }
    return true;
  }

  /** With the deliveries in another order. */
  plan(): SoakPlan {
    return { deliveries: shuffled(this.deliveries, this.random), edits: this.edits, titles: this.titles };
  }
}

function seedProduct(store: TestStore, index: number): SoakProduct {
  const created = store.products.create({
    title: `Plain title ${String(index)}`,
    handle: `soak-${String(index)}`,
    descriptionHtml: `<p>Plain text ${String(index)}.</p>`,
  });
  return {
    gid: created.gid,
    externalId: `shopify:${SHOP}:${String(created.id)}`,
    catalogId: CATALOG_IDS_FROM + index,
    title: created.title,
    html: created.descriptionHtml,
  };
}

function taskIdOf({ catalogId }: SoakProduct, generation: number): string {
  return `soak-${String(catalogId)}-${String(generation)}`;
}

/** The links that a run would have left, and one open task per product. */
async function seedRows(world: World, products: readonly SoakProduct[], askedAt: Date): Promise<void> {
  const rows = products.map((product) => ({
    external_id: product.externalId,
    store_id: product.gid,
    label: product.title,
    catalog_id: String(product.catalogId),
    seen: seenOf(product),
  }));
  await world.rows(
    `INSERT INTO store_product (external_id, store, workspace, store_id, label, state, catalog_id, seen_fields)
     SELECT external_id, $2, $3, store_id, label, 'linked', catalog_id, seen
     FROM jsonb_to_recordset($1::jsonb) AS row(external_id text, store_id text, label text, catalog_id text, seen jsonb)`,
    [JSON.stringify(rows), STORE, WORKSPACE],
  );
  await askedFor(world, { store: STORE, workspace: WORKSPACE }, products, askedAt);
}

/** One open task per product, which no poll asks about. */
export async function askedFor(
  world: World,
  { store, workspace }: { readonly store: string; readonly workspace: string },
  products: readonly SoakProduct[],
  askedAt: Date,
): Promise<void> {
  const rows = products.map((product) => ({
    external_id: product.externalId,
    catalog_id: String(product.catalogId),
    task_id: taskIdOf(product, 1),
    seen: seenOf(product),
  }));
  await world.rows(
    `INSERT INTO generation_task (store, workspace, external_id, catalog_id, task_id, seen, requested_at, answered_at, next_poll_at)
     SELECT $2, $3, external_id, catalog_id, task_id, seen, $4, $4, now() + interval '10 days'
     FROM jsonb_to_recordset($1::jsonb) AS row(external_id text, catalog_id text, task_id text, seen jsonb)`,
    [JSON.stringify(rows), store, workspace, askedAt],
  );
}

function seenOf({ title, html }: SoakProduct): Record<string, string> {
  return { title: valueHash(title), descriptionHtml: valueHash(html) };
}

/** The newest result of each product is what its store says in the end. */
export function checkTitles(
  stores: readonly TestStore[],
  plan: SoakPlan,
  verdict: Pick<Verdict, 'lost'>,
): void {
  for (const [externalId, title] of plan.titles) {
    const live = productBehind(stores, externalId)?.title;
    if (live !== title)
      verdict.lost.push(`${externalId}: the store says "${live ?? ''}" instead of "${title}"`);
  }
}

/** The items in an order of chance. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = items.map((item) => ({ item, at: random() }));
  return order.sort((left, right) => left.at - right.at).map(({ item }) => item);
}
