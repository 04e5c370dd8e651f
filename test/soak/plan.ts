import { valueHash } from '../../src/domain/written-content.js';
import type { RunningStoreSandbox } from '../../src/sandbox/store/index.js';
import { deliveryOf, type Delivery } from '../fault/deliveries.js';
import type { World } from '../support/e2e-world.js';
import { SHOP, STORE, WORKSPACE } from '../fault/fault-world.js';

/** The deliveries in the order of sending, and the merchants' earlier edits. */
export interface SoakPlan {
  readonly deliveries: readonly Delivery[];
  readonly edits: ReadonlyMap<string, { readonly title: string }>;
  /** The title that each product must bear in the end, by gid; products not named keep theirs. */
  readonly titles: ReadonlyMap<string, string>;
}

interface SeededProduct {
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
  const { store } = world;
  const products: SeededProduct[] = [];
  const deliveries: Delivery[] = [];
  const titles = new Map<string, string>();
  const edits = new Map<string, { title: string }>();
  const began = Date.now() - 600_000;
  while (deliveries.length < count) {
    const index = products.length;
    const product = seedProduct(store, index);
    products.push(product);
    if (random() < EDITED_SHARE)
      edits.set(product.gid, { title: `The merchant's own title ${String(index)}` });
    for (const generation of random() < SECOND_SHARE ? [1, 2] : [1]) {
      if (deliveries.length >= count) break;
      const roll = generation === 1 ? random() : 1;
      const action =
        roll < FAILED_SHARE
          ? 'product_generation_failed'
          : roll < FAILED_SHARE + NO_URLS_SHARE
            ? 'product_generation_no_urls'
            : 'product_generated';
      const name = `Generated title ${String(index)}, take ${String(generation)}`;
      if (action === 'product_generated' && !edits.has(product.gid)) titles.set(product.gid, name);
      deliveries.push(
        deliveryOf({
          action,
          externalId: product.externalId,
          catalogId: product.catalogId,
          taskId: taskIdOf(index, generation),
          createdAt: new Date(began + generation * 60_000),
          content: {
            name,
            html_description: `<p>Generated text ${String(index)}, take ${String(generation)}.</p>`,
          },
        }),
      );
    }
  }
  await seedRows(world, products, new Date(began));
  for (const [gid, edit] of edits) store.products.merchantEdit(gid, edit);
  return { deliveries: shuffled(deliveries, random), edits, titles };
}

function seedProduct(store: RunningStoreSandbox, index: number): SeededProduct {
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

function taskIdOf(index: number, generation: number): string {
  return `soak-${String(index)}-${String(generation)}`;
}

/** The rows that a run would have left: links, and one open task per product. */
async function seedRows(world: World, products: readonly SeededProduct[], askedAt: Date): Promise<void> {
  const rows = products.map((product, index) => ({
    external_id: product.externalId,
    store_id: product.gid,
    label: product.title,
    catalog_id: String(product.catalogId),
    task_id: taskIdOf(index, 1),
    seen: { title: valueHash(product.title), descriptionHtml: valueHash(product.html) },
  }));
  await world.rows(
    `INSERT INTO store_product (external_id, store, workspace, store_id, label, state, catalog_id, seen_fields)
     SELECT external_id, $2, $3, store_id, label, 'linked', catalog_id, seen
     FROM jsonb_to_recordset($1::jsonb) AS row(external_id text, store_id text, label text, catalog_id text, seen jsonb)`,
    [JSON.stringify(rows), STORE, WORKSPACE],
  );
  await world.rows(
    `INSERT INTO generation_task (store, workspace, external_id, catalog_id, task_id, seen, requested_at, answered_at, next_poll_at)
     SELECT $2, $3, external_id, catalog_id, task_id, seen, $4, $4, now() + interval '10 days'
     FROM jsonb_to_recordset($1::jsonb) AS row(external_id text, catalog_id text, task_id text, seen jsonb)`,
    [JSON.stringify(rows), STORE, WORKSPACE, askedAt],
  );
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const order = items.map((item) => ({ item, at: random() }));
  return order.sort((left, right) => left.at - right.at).map(({ item }) => item);
}
