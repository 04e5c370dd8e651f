import { randomUUID } from 'node:crypto';
import type { Page } from '../catalog/pages.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import type {
  CatalogListing,
  CatalogListingRows,
  WalkedListing,
} from '../persistence/catalog-listing.rows.js';
import type { HolderRow, ListedRow } from '../persistence/plan-rows.js';
import type { Plan } from '../persistence/plan.js';
import type { Clock } from '../runtime/clock.js';
import { NEWEST_FIRST, OLDEST_FIRST, walkListing } from '../connections/listing-walk.js';
import type { Workspace } from '../connections/connections.js';
import { whileHeld } from '../runtime/held-lease.js';
import { unlessAborted } from '../runtime/time-limit.js';
import { holderRows, listedRow } from './listed-products.js';

/** The stores of a workspace share a listing that was read to its end at most so long ago. A run that a person asks for sees the catalog as it is. */
export const LISTING_MAX_AGE_MS = 10 * 60_000;

/** How a run asks for the listing of its workspace. */
export interface ListingRequest {
  /** A listing that began before this moment does not serve; null: its age alone decides. */
  readonly since: Date | null;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /**
   * The reading that the run began while its store made the export: resolves at its end with the moment from which a listing serves.
   * Null: the moment at which the run takes it.
   */
  readonly early?: Promise<Date | null> | undefined;
}

/** A listing that this plan may use until it is made. */
export interface TakenListing extends CatalogListing {
  /** True when this run read it just now. */
  readonly isOwn: boolean;
}

/** How often a run looks whether another one has read the listing: seldom after some time, as there may be many. */
const WAIT_MS = 250;
const LONGEST_WAIT_MS = 2_000;
/** Listings of fewer products are not worth new statistics. */
const ANALYSED_FROM = 1000;

/**
 * The listing of the workspace: one that another run has read lately, or one that is read now. While another process reads it, this
 * one waits. Throws what a page's request throws.
 */
export async function takeListing(
  plan: Plan,
  workspace: Workspace,
  request: ListingRequest,
  first?: Page<CatalogProduct>,
): Promise<TakenListing> {
  const { early, signal } = request;
  let asked = (await unlessAborted(early, signal)) ?? null;
  for (let waitMs = WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    signal?.throwIfAborted();
    const present = await presentListing(plan, workspace, request, asked);
    if (present !== null) return present;
    asked ??= await plan.listings.now();
    const read = await readForAll(
      plan.listings,
      workspace,
      request,
      first,
      async () => (await presentListing(plan, workspace, request, asked)) !== null,
    );
    if (read === null) {
      await request.clock.sleep(waitMs, signal);
    } else {
      await plan.hasRead(read.id);
      return { ...read, isOwn: true };
    }
  }
}

/** A listing that serves without any request. It is kept until the plan is made. Null when there is none. */
export async function presentListing(
  plan: Plan,
  workspace: Workspace,
  { since }: Pick<ListingRequest, 'since'>,
  asked: Date | null = null,
): Promise<TakenListing | null> {
  const demand = { maxAgeMs: LISTING_MAX_AGE_MS, since };
  const found = await plan.listings.present(workspace.key, demand, asked);
  if (found === null) return null;
  await plan.useListing(found.id);
  return { ...found, isOwn: false };
}

/**
 * Adds the products that were created since the listing was read: they are the newest ones, so their pages come first. False when the
 * listing shows fewer products than the service counts.
 */
export async function addNewest(plan: Plan, workspace: Workspace, listing: TakenListing): Promise<boolean> {
  if (listing.isOwn) return listing.complete;
  // Others see what is added, and need not ask for it again.
  const rows = plan.listings;
  let count: number | null | undefined;
  let added = 0;
  for await (const page of workspace.client.productPages(NEWEST_FIRST)) {
    count ??= page.count;
    const unknown = await rows.unknown(
      listing.id,
      page.results.map(({ id }) => String(id)),
    );
    const fresh = page.results.filter(({ id }) => unknown.has(String(id)));
    added += await addProducts(rows, listing.id, workspace.key, fresh.map(rowsOf));
    const last = page.results.at(-1);
    // Products before a known one are older than the listing.
    if (last === undefined || !unknown.has(String(last.id))) break;
  }
  const products = await rows.grow(listing.id, added);
  return listing.complete && count != null && products >= count;
}

/**
 * Reads the listing for all runs of the workspace. Null when another process reads it, took the walk over, or ended one just before this
 * began. Throws what a page's request throws.
 */
export async function readForAll(
  rows: CatalogListingRows,
  workspace: Workspace,
  request: Pick<ListingRequest, 'signal'>,
  first: Page<CatalogProduct> | undefined,
  isServed: () => Promise<boolean>,
): Promise<CatalogListing | null> {
  const lease = randomUUID();
  const id = await rows.begin(workspace.key, lease);
  if (id === null) return null;
  if (await isServed()) {
    await rows.abandon(id);
    return null;
  }
  // Where that fails, its lease ends by itself and retention removes its rows.
  const abandon = () => rows.abandon(id).catch(() => undefined);
  return whileHeld(
    () => rows.keepLease(id, lease),
    async (takenOver) => {
      try {
        const ended = AbortSignal.any([request.signal ?? takenOver, takenOver]);
        const walked = await readAllPages(rows, id, workspace, first, ended);
        const finished = await rows.finish(id, lease, walked);
        if (finished === null) await abandon();
        return finished;
      } catch (error) {
        await abandon();
        if (error === takenOver.reason) return null;
        throw error;
      }
    },
  );
}

/** Products whose rows are written together: the walk waits for the rows before it asks for its next page. */
const WRITTEN_TOGETHER = 500;

/** Stores the products of all pages. Aborting `signal` ends the walk at the next page. */
async function readAllPages(
  rows: CatalogListingRows,
  id: string,
  workspace: Workspace,
  first: Page<CatalogProduct> | undefined,
  signal: AbortSignal,
): Promise<WalkedListing> {
  const start = first ?? (await workspace.client.listProducts(OLDEST_FIRST));
  let products = 0;
  let pending: ProductRows[] = [];
  const write = async (): Promise<void> => {
    products += await addProducts(rows, id, workspace.key, pending);
    pending = [];
  };
  const complete = await walkListing(workspace.client, start, async (page) => {
    signal.throwIfAborted();
    pending.push(...page.map(rowsOf));
    if (pending.length >= WRITTEN_TOGETHER) await write();
  });
  if (pending.length > 0) await write();
  if (products >= ANALYSED_FROM) await rows.analyse();
  return { complete, products };
}

interface ProductRows {
  readonly listed: ListedRow;
  readonly holders: readonly HolderRow[];
}

/** Rows are kept until they are written, and not the products, whose texts may be large. */
function rowsOf(product: CatalogProduct): ProductRows {
  return { listed: listedRow(product), holders: holderRows(product) };
}

/** Returns how many of them the listing did not show yet. */
async function addProducts(
  rows: CatalogListingRows,
  id: string,
  workspace: string,
  products: readonly ProductRows[],
): Promise<number> {
  await rows.addHolders(
    id,
    products.flatMap(({ holders }) => holders),
  );
  return rows.addListed(
    id,
    workspace,
    products.map(({ listed }) => listed),
  );
}
