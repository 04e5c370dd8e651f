import type { SandboxProduct } from '../../src/sandbox/store/index.js';
import type { TestStore } from '../support/sandbox/test-store.js';
import { askedFor, PlannedResults, type SoakPlan, type SoakProduct } from './plan.js';
import { WORKSPACE, type Fleet } from './fleet.js';

/** Deliveries of a product on average: its result and, for half of the products, a second one. */
const DELIVERIES_EACH = 1.5;

/**
 * Fills the stores with products, so that the results of all are some `count` deliveries. Answers a function that plans these
 * results, to be called when the catalog has the products.
 */
export function planFleet(fleet: Fleet, count: number, random: () => number): () => Promise<SoakPlan> {
  const each = Math.ceil(count / DELIVERIES_EACH / fleet.stores.length);
  const filled = [...fleet.world.stores].map(([key, store]) => ({ key, store, products: fill(store, each) }));
  return async () => {
    const ids = await catalogIds(fleet);
    const results = new PlannedResults(count, random);
    for (const { key, store, products } of filled) {
      const linked = products.map((product) => soakProduct(store, product, ids));
      const awaited = linked.filter((product) => results.add(product));
      await askedFor(fleet.world, { store: key, workspace: WORKSPACE }, awaited, results.began);
    }
    return results.plan();
  };
}

function fill(store: TestStore, count: number): SandboxProduct[] {
  return Array.from({ length: count }, (_, index) =>
    store.products.create({
      title: `Plain title ${String(index)}`,
      handle: `soak-${String(index)}`,
      descriptionHtml: `<p>Plain text ${String(index)}.</p>`,
    }),
  );
}

function soakProduct(
  { shop }: TestStore,
  { id, gid, title, descriptionHtml }: SandboxProduct,
  ids: ReadonlyMap<string, number>,
): SoakProduct {
  const externalId = `shopify:${shop}:${String(id)}`;
  const catalogId = ids.get(externalId);
  if (catalogId === undefined) throw new Error(`${externalId} was not created in the catalog`);
  return { gid, externalId, catalogId, title, html: descriptionHtml };
}

async function catalogIds({ db }: Fleet): Promise<Map<string, number>> {
  const { rows } = await db.query<{ external_id: string; catalog_id: string }>(
    'SELECT external_id, catalog_id FROM store_product WHERE catalog_id IS NOT NULL',
  );
  return new Map(rows.map(({ external_id, catalog_id }) => [external_id, Number(catalog_id)]));
}
