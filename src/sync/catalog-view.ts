import pLimit from 'p-limit';
import type { Page } from '../catalog/pages.js';
import type { CatalogProduct, CatalogVariant } from '../catalog/schemas.js';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../domain/catalog-product.js';
import { isMetWith } from '../domain/error-policy.js';
import { storableText } from '../domain/text.js';
import type { HolderRow, ListedRow } from '../persistence/plan-rows.js';
import type { PlanTransaction } from '../persistence/plan-transaction.js';
import type { Workspace } from '../sites/sites.js';
import { confirmGone, NOT_COMPARED, OLDEST_FIRST, walkListing } from '../sites/catalog-listing.js';

/** With more identifiers than this, the listing is read, because a search for each would not be cheaper. */
const SEARCH_AT_MOST = 2000;
const SEARCHES_AT_ONCE = 4;

/** The results of a walk over the whole listing. */
export interface ListingView {
  readonly complete: boolean;
  /** Product models. The listing may leave their variants out. */
  readonly models: readonly ListedModel[];
  /** Why linked products were not compared with the listing, for people; null when they were. */
  readonly notCompared: string | null;
}

interface ListedModel {
  readonly id: string;
  readonly externalId: string;
}

/**
 * Walks the listing and compares the store's linked products with it: those that the catalog no longer has are created again. Only a
 * complete listing says that a product is gone, and each such product is looked up once more. Null when nothing is linked yet.
 */
export async function compareWithListing(
  plan: PlanTransaction,
  workspace: Workspace,
): Promise<ListingView | null> {
  if (!(await plan.catalog.hasLinks())) return null;
  const { client } = workspace;
  const view = await readListing(plan, workspace, await client.listProducts(OLDEST_FIRST));
  if (!view.complete) return { ...view, notCompared: NOT_COMPARED.incomplete };
  const { gone, limited } = await confirmGone(client, await plan.catalog.missingFromListing());
  await plan.catalog.noteGone(gone.map(({ externalId }) => externalId));
  return limited ? { ...view, notCompared: NOT_COMPARED.limited } : view;
}

/**
 * Fills the plan's view of the catalog with the holders of the identifiers that the plan would send: POST matches by them and updates
 * what it matches (docs/decisions/0005-identity.md). Reads only. The listing is walked when that takes fewer requests than a search for
 * each identifier; a plan that sends none asks nothing.
 *
 * True when the view is a proof: the whole listing was read, with the variants of every product model that is not ours. A search is
 * none, as it does not look at variants. Without a proof creations are sent without identifiers, which PATCH brings afterwards.
 */
export async function fillCatalogView(
  plan: PlanTransaction,
  workspace: Workspace,
  listing: ListingView | null,
): Promise<boolean> {
  const wanted = await plan.catalog.identifiersToClear(SEARCH_AT_MOST + 1);
  if (wanted.length === 0) return false;
  if (listing !== null) return provedBy(listing, plan, workspace, wanted.length);
  const { client } = workspace;
  const first = await client.listProducts(OLDEST_FIRST);
  const pages = first.results.length === 0 ? 0 : Math.ceil((first.count ?? Infinity) / first.results.length);
  if (wanted.length > SEARCH_AT_MOST || pages <= wanted.length) {
    const view = await readListing(plan, workspace, first);
    return provedBy(view, plan, workspace, wanted.length);
  }
  await searchEach(plan, workspace, wanted);
  await plan.catalog.indexHolders();
  return false;
}

const ROWS_AT_ONCE = 1000;

/** Reads every page of the listing into the plan's view. */
async function readListing(
  plan: PlanTransaction,
  workspace: Workspace,
  first: Page<CatalogProduct>,
): Promise<ListingView> {
  const models: ListedModel[] = [];
  let holders: HolderRow[] = [];
  let products: ListedRow[] = [];
  const flush = async (): Promise<void> => {
    await plan.catalog.addHolders(holders);
    await plan.catalog.addListed(products);
    [holders, products] = [[], []];
  };
  const complete = await walkListing(workspace.client, first, async (product) => {
    const externalId = filled(product.external_id);
    products.push({ catalogId: String(product.id), externalId });
    holders.push(...holderRows(product, product.variants ?? []));
    if (mayHideVariants(product)) models.push({ id: String(product.id), externalId: externalId ?? '' });
    if (holders.length + products.length >= ROWS_AT_ONCE) await flush();
  });
  await flush();
  await plan.catalog.indexHolders();
  return { complete, models, notCompared: null };
}

/** True when nothing was missed. At most `mostModels` product models of others have their variants looked up. */
async function provedBy(
  { complete, models }: ListingView,
  plan: PlanTransaction,
  workspace: Workspace,
  mostModels: number,
): Promise<boolean> {
  return (await lookUpModels(plan, workspace, models, mostModels)) && complete;
}

/** Listings leave variants out: those of a model, or of a product that does not say what it is, have a path of their own. */
function mayHideVariants(product: CatalogProduct): boolean {
  return product.is_product_model !== false && (product.variants ?? []).length === 0;
}

/** Looks up the variants of models that are not ours; what ours hold is known. False when some could not be looked up. */
async function lookUpModels(
  plan: PlanTransaction,
  workspace: Workspace,
  models: readonly ListedModel[],
  most: number,
): Promise<boolean> {
  const ours = await plan.catalog.ownLive(models.map((model) => model.externalId));
  const foreign = models.filter((model) => !ours.has(model.externalId));
  if (foreign.length > most) return false;
  const limit = pLimit(SEARCHES_AT_ONCE);
  try {
    const found = await Promise.all(
      foreign.map((model) => limit(async () => variantRows(model, await variantsOf(workspace, model.id)))),
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
  return [
    ...identifierRows(product, catalogId, externalId, false),
    ...variantRows({ id: catalogId, externalId: externalId ?? '' }, variants),
  ];
}

function variantRows(product: ListedModel, variants: readonly CatalogVariant[]): HolderRow[] {
  return variants.flatMap((variant) => {
    // A variant without an external_id belongs to the owner of its product.
    const owner = filled(variant.external_id) ?? filled(product.externalId);
    return identifierRows(variant, String(variant.id ?? product.id), owner, true);
  });
}

/** A database cannot hold every text of the catalog. The rest of such a text is no identifier of ours. */
function filled(text: string | null | undefined): string | null {
  return text == null || text === '' ? null : storableText(text);
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
    // A text that no database holds is the identifier of none of our products.
    if (value != null && value !== '' && storableText(value) === value) rows.push({ ...common, kind, value });
  }
  if (rows.length === 0 && externalId !== null && !isVariant)
    rows.push({ ...common, kind: null, value: null });
  return rows;
}
