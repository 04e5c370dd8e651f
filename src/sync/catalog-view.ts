import pLimit from 'p-limit';
import type { Page } from '../catalog/pages.js';
import type { CatalogProduct, CatalogVariant } from '../catalog/schemas.js';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../domain/catalog-product.js';
import { isMetWith } from '../domain/error-policy.js';
import type { HolderRow } from '../persistence/plan-rows.js';
import type { PlanTransaction } from '../persistence/plan-transaction.js';
import type { Workspace } from '../sites/sites.js';

/** With more identifiers than this, the listing is read, because a search for each would not be cheaper. */
const SEARCH_AT_MOST = 2000;
const SEARCHES_AT_ONCE = 4;

/**
 * Fills the plan's view of the catalog with the holders of the identifiers that the plan would send: POST matches by them and updates
 * what it matches (docs/decisions/0005-identity.md). Reads only. The listing is walked when that takes fewer requests than a search for
 * each identifier; a plan that sends none asks nothing.
 *
 * True when the view is a proof: the whole listing was read, with the variants of every product model that is not ours. A search is
 * none, as it does not look at variants. Without a proof creations are sent without identifiers, which PATCH brings afterwards.
 */
export async function fillCatalogView(plan: PlanTransaction, workspace: Workspace): Promise<boolean> {
  const wanted = await plan.catalog.identifiersToClear(SEARCH_AT_MOST + 1);
  if (wanted.length === 0) return false;
  const { client } = workspace;
  const first = await client.listProducts(OLDEST_FIRST);
  const pages = first.results.length === 0 ? 0 : Math.ceil((first.count ?? Infinity) / first.results.length);
  let proved = false;
  if (wanted.length > SEARCH_AT_MOST || pages <= wanted.length) {
    proved = await walkListing(plan, workspace, first, wanted.length);
  } else {
    await searchEach(plan, workspace, wanted);
  }
  await plan.catalog.indexHolders();
  return proved;
}

/** Oldest first: new products are added at the end and do not shift pages. */
const OLDEST_FIRST = { sorting: 'asc', orderBy: 'date' } as const;

/** True when nothing was missed. At most `mostModels` product models of others have their variants looked up. */
async function walkListing(
  plan: PlanTransaction,
  workspace: Workspace,
  first: Page<CatalogProduct>,
  mostModels: number,
): Promise<boolean> {
  const met = new Set<string>();
  const models: CatalogProduct[] = [];
  let rows: HolderRow[] = [];
  // A listing of one page has been read already.
  const listed = first.next == null ? first.results : workspace.client.iterateProducts(OLDEST_FIRST);
  for await (const product of listed) {
    met.add(String(product.id));
    rows.push(...holderRows(product, product.variants ?? []));
    if (mayHideVariants(product)) models.push(product);
    if (rows.length >= 1000) {
      await plan.catalog.addHolders(rows);
      rows = [];
    }
  }
  await plan.catalog.addHolders(rows);
  const complete = await wasComplete(workspace, first, met.size);
  return (await lookUpModels(plan, workspace, models, mostModels)) && complete;
}

/** Whether as many products were met as there are; a product that was deleted meanwhile may have shifted another one out of sight. */
async function wasComplete(workspace: Workspace, first: Page<CatalogProduct>, met: number): Promise<boolean> {
  if (first.count == null) return false;
  if (first.next == null) return met >= first.count;
  const { count } = await workspace.client.listProducts(OLDEST_FIRST);
  return count != null && count >= first.count && met >= count;
}

/** Listings leave variants out: those of a model, or of a product that does not say what it is, have a path of their own. */
function mayHideVariants(product: CatalogProduct): boolean {
  return product.is_product_model !== false && (product.variants ?? []).length === 0;
}

/** Looks up the variants of models that are not ours; what ours hold is known. False when some could not be looked up. */
async function lookUpModels(
  plan: PlanTransaction,
  workspace: Workspace,
  models: readonly CatalogProduct[],
  most: number,
): Promise<boolean> {
  const ours = await plan.catalog.ownLive(models.map((model) => model.external_id ?? ''));
  const foreign = models.filter((model) => !ours.has(model.external_id ?? ''));
  if (foreign.length > most) return false;
  const limit = pLimit(SEARCHES_AT_ONCE);
  try {
    const found = await Promise.all(
      foreign.map((model) =>
        limit(async () => holderRows(model, await variantsOf(workspace, String(model.id)))),
      ),
    );
    await plan.catalog.addHolders(found.flat());
    return true;
  } catch (error) {
    // The path's methods are not shown: without them nothing is proved.
    if (!isMetWith(error, 'variants', 'give_up')) throw error;
    return false;
  }
}

async function searchEach(
  plan: PlanTransaction,
  workspace: Workspace,
  wanted: readonly { kind: IdentifierKind; value: string }[],
): Promise<void> {
  const values = [...new Set(wanted.map((identifier) => identifier.value))];
  for (let from = 0; from < values.length; from += SEARCHES_AT_ONCE) {
    const found = await Promise.all(
      values.slice(from, from + SEARCHES_AT_ONCE).map(async (value) => {
        const rows: HolderRow[] = [];
        for await (const product of workspace.client.iterateProducts({ search: value })) {
          rows.push(...holderRows(product, product.variants ?? []));
        }
        return rows;
      }),
    );
    await plan.catalog.addHolders(found.flat());
  }
}

/** One row per identifier of a product and its variants, and one for the product's external_id. */
function holderRows(product: CatalogProduct, variants: readonly CatalogVariant[]): HolderRow[] {
  const catalogId = String(product.id);
  const externalId = filled(product.external_id);
  const rows = identifierRows(product, catalogId, externalId, false);
  for (const variant of variants) {
    // A variant without an external_id belongs to the owner of its product.
    const owner = filled(variant.external_id) ?? externalId;
    rows.push(...identifierRows(variant, String(variant.id ?? catalogId), owner, true));
  }
  return rows;
}

function filled(text: string | null | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

async function variantsOf(workspace: Workspace, catalogId: string): Promise<CatalogVariant[]> {
  const variants: CatalogVariant[] = [];
  for await (const variant of workspace.client.iterateVariants(catalogId)) variants.push(variant);
  return variants;
}

function identifierRows(
  holder: CatalogVariant,
  catalogId: string,
  externalId: string | null,
  isVariant: boolean,
): HolderRow[] {
  const common = { catalogId, externalId, isVariant };
  const rows: HolderRow[] = [];
  for (const kind of IDENTIFIER_KINDS) {
    const value = holder[kind];
    if (value !== undefined && value !== null && value !== '') rows.push({ ...common, kind, value });
  }
  if (rows.length === 0 && externalId !== null && !isVariant)
    rows.push({ ...common, kind: null, value: null });
  return rows;
}
