import type { CatalogProduct, CatalogVariant } from '../catalog/schemas.js';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../domain/catalog-product.js';
import { parseExternalId } from '../domain/external-id.js';
import type { HolderRow } from '../persistence/plan-rows.js';
import type { PlanTransaction } from '../persistence/plan-transaction.js';
import type { Workspace } from '../sites/sites.js';

/** Beyond this many identifiers the listing is walked whatever its length: a search for each would be no cheaper. */
const SEARCH_AT_MOST = 2000;
const SEARCHES_AT_ONCE = 4;

/**
 * Fills the plan's view of the catalog with the holders of every identifier that the plan would send, because POST matches
 * by them and updates what it matches (docs/decisions/0005-identity.md). Reads only. The listing is walked when that takes fewer
 * requests than a search for each identifier; a plan that sends none asks nothing.
 */
export async function fillCatalogView(plan: PlanTransaction, workspace: Workspace): Promise<void> {
  const wanted = await plan.catalog.identifiersToClear(SEARCH_AT_MOST + 1);
  if (wanted.length === 0) return;
  const { client } = workspace;
  const first = await client.listProducts({ sorting: 'asc', orderBy: 'date' });
  const pages = first.results.length === 0 ? 0 : Math.ceil((first.count ?? Infinity) / first.results.length);
  if (wanted.length > SEARCH_AT_MOST || pages <= wanted.length) {
    await walkListing(plan, workspace);
  } else {
    await searchEach(plan, workspace, wanted);
  }
  await plan.catalog.indexHolders();
}

async function walkListing(plan: PlanTransaction, workspace: Workspace): Promise<void> {
  let rows: HolderRow[] = [];
  // Oldest first: what is added meanwhile comes last and shifts no page.
  for await (const product of workspace.client.iterateProducts({ sorting: 'asc', orderBy: 'date' })) {
    rows.push(...(await holderRows(workspace, product)));
    if (rows.length >= 1000) {
      await plan.catalog.addHolders(rows);
      rows = [];
    }
  }
  await plan.catalog.addHolders(rows);
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
          rows.push(...(await holderRows(workspace, product)));
        }
        return rows;
      }),
    );
    await plan.catalog.addHolders(found.flat());
  }
}

/** One row per identifier of a product and its variants, and one for the product's external_id. */
async function holderRows(workspace: Workspace, product: CatalogProduct): Promise<HolderRow[]> {
  const catalogId = String(product.id);
  const externalId = product.external_id ?? null;
  const rows = identifierRows(product, catalogId, externalId === '' ? null : externalId, false);
  // Variants of our own models are ours by their external_id; those of others are looked up where the listing omits them.
  const ours = externalId !== null && parseExternalId(externalId) !== null;
  const variants =
    product.variants ??
    (product.is_product_model === true && !ours ? await variantsOf(workspace, catalogId) : []);
  for (const variant of variants) {
    const own = variant.external_id === undefined || variant.external_id === '' ? null : variant.external_id;
    // A variant without an external_id of its own belongs to whoever owns its product.
    rows.push(...identifierRows(variant, String(variant.id ?? catalogId), own ?? externalId, true));
  }
  return rows;
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
