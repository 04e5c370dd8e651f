import pLimit from 'p-limit';
import type { CatalogVariant } from '../catalog/schemas.js';
import type { IdentifierKind } from '../domain/catalog-product.js';
import { isMetWith } from '../domain/error-policy.js';
import type { ComparedBy } from '../persistence/compared-by.js';
import type { StoreLink } from '../persistence/plan-identities.js';
import type { HolderRow } from '../persistence/plan-rows.js';
import type { Plan } from '../persistence/plan.js';
import { confirmGone, goneById, NOT_COMPARED } from '../connections/catalog-listing.js';
import { OLDEST_FIRST } from '../connections/listing-walk.js';
import type { Workspace } from '../connections/connections.js';
import { holderRows, variantRows } from './listed-products.js';
import {
  addNewest,
  presentListing,
  takeListing,
  type ListingRequest,
  type TakenListing,
} from './workspace-listing.js';

/** With more identifiers than this, the listing is read, because a search for each would not be cheaper. */
const SEARCH_AT_MOST = 2000;
const SEARCHES_AT_ONCE = 4;

/** The look at the catalog that a full run compared its products with. */
export interface ListingView {
  /** Null when each product was looked up by its id. */
  readonly listing: TakenListing | null;
  /** Why linked products were not compared with the listing, for people; null when they were. */
  readonly notCompared: string | null;
}

/** That look, and the linked products that the catalog no longer has. */
export interface ComparedLinks extends ListingView {
  readonly gone: readonly StoreLink[];
}

/**
 * Compares the store's linked products with the catalog: with the workspace's listing, or each by its id. Only a complete listing says
 * that a product is gone, and each such product is looked up again. Null when nothing is linked yet. It changes nothing in the plan, so
 * that products can be planned meanwhile.
 */
export async function compareWithCatalog(
  plan: Plan,
  workspace: Workspace,
  way: ComparedBy,
  request: ListingRequest,
): Promise<ComparedLinks | null> {
  if (way === null) return null;
  const listing = await (way === 'ids' ? presentListing : takeListing)(plan, workspace, request);
  if (listing === null) {
    const gone = await goneById(workspace.client, await plan.identities.linked(), request.signal);
    return { listing, notCompared: null, gone };
  }
  if (!listing.complete) return { listing, notCompared: NOT_COMPARED.incomplete, gone: [] };
  const missing = await plan.identities.missingFrom(listing);
  const { gone, limited } = await confirmGone(workspace.client, missing);
  return { listing, notCompared: limited ? NOT_COMPARED.limited : null, gone };
}

/**
 * Fills the plan's view of the catalog with the holders of the identifiers that the plan would send: POST matches by them and updates
 * what it matches (docs/decisions/0005-identity.md). Reads only. The listing is read when none serves and when that takes fewer
 * requests than a search for each identifier; a plan that sends none asks nothing.
 *
 * True when the view is a proof: the whole listing was read, with the variants of every product model that is not ours. A search is
 * none, as it does not look at variants. Without a proof creations are sent without identifiers, which PATCH brings afterwards.
 */
export async function fillCatalogView(
  plan: Plan,
  workspace: Workspace,
  known: ListingView | null,
  request: ListingRequest,
): Promise<boolean> {
  const wanted = await plan.identities.toClear(SEARCH_AT_MOST + 1);
  if (wanted.length === 0) {
    if (known?.listing != null) plan.identities.takeListing(known.listing);
    return false;
  }
  const listing = known?.listing ?? (await worthwhileListing(plan, workspace, wanted.length, request));
  if (listing !== null) return proved(plan, workspace, listing, wanted.length, request);
  await searchEach(plan, workspace, wanted);
  return false;
}

/** The listing, when one serves or when reading it takes fewer requests than the searches; otherwise null. */
async function worthwhileListing(
  plan: Plan,
  workspace: Workspace,
  searches: number,
  request: ListingRequest,
): Promise<TakenListing | null> {
  const present = await presentListing(plan, workspace, request);
  if (present !== null) return present;
  const first = await workspace.client.listProducts(OLDEST_FIRST);
  const pages = first.results.length === 0 ? 0 : Math.ceil((first.count ?? Infinity) / first.results.length);
  if (searches <= SEARCH_AT_MOST && pages > searches) return null;
  return takeListing(plan, workspace, request, first);
}

/**
 * Takes the holders from a listing. True when it is a proof: complete, also by now, and with the variants of all models of others. At
 * most `mostModels` of those are looked up.
 */
async function proved(
  plan: Plan,
  workspace: Workspace,
  listing: TakenListing,
  mostModels: number,
  request: ListingRequest,
): Promise<boolean> {
  let newest = listing;
  let complete = await addNewest(plan, workspace, newest);
  if (!complete && !newest.isOwn) {
    newest = await takeListing(plan, workspace, {
      ...request,
      early: undefined,
      since: await plan.listings.now(),
    });
    complete = newest.complete;
  }
  const models = await lookUpModels(plan, workspace, newest, mostModels);
  plan.identities.takeListing(newest);
  return models && complete;
}

/** Looks up the variants of models that are not ours; what ours hold is known. False when some could not be looked up. */
async function lookUpModels(
  plan: Plan,
  workspace: Workspace,
  { id }: TakenListing,
  most: number,
): Promise<boolean> {
  const foreign = await plan.listings.hiddenModels(id, workspace.key, most + 1);
  if (foreign.length > most) return false;
  if (foreign.length === 0) return true;
  const limit = pLimit(SEARCHES_AT_ONCE);
  try {
    const found = await Promise.all(
      foreign.map((model) => limit(async () => variantRows(model, await variantsOf(workspace, model.id)))),
    );
    await plan.listings.addHolders(id, found.flat());
    await plan.listings.variantsKnown(
      id,
      foreign.map((model) => model.id),
    );
    return true;
  } catch (error) {
    // The path's methods are not shown: without them nothing is proved.
    if (!isMetWith(error, 'variants', 'give_up')) throw error;
    return false;
  }
}

async function searchEach(
  plan: Plan,
  workspace: Workspace,
  wanted: readonly { kind: IdentifierKind; value: string }[],
): Promise<void> {
  const values = [...new Set(wanted.map((identifier) => identifier.value))];
  for (let from = 0; from < values.length; from += SEARCHES_AT_ONCE) {
    const found = await Promise.all(
      values.slice(from, from + SEARCHES_AT_ONCE).map(async (value) => {
        const rows: HolderRow[] = [];
        for await (const product of workspace.client.iterateProducts({ search: value })) {
          rows.push(...holderRows(product));
        }
        return rows;
      }),
    );
    plan.identities.addFound(found.flat());
  }
}

async function variantsOf(workspace: Workspace, catalogId: string): Promise<CatalogVariant[]> {
  const variants: CatalogVariant[] = [];
  for await (const variant of workspace.client.iterateVariants(catalogId)) variants.push(variant);
  return variants;
}
