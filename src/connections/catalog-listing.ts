import pLimit from 'p-limit';
import type { CatalogClient } from '../catalog/client.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import { isCoded } from '../domain/errors.js';
import { isForeign } from '../domain/external-id.js';
import { OLDEST_FIRST, walkListing } from './listing-walk.js';

/** A product that we linked, as its row names it. */
export interface LinkedProduct {
  readonly externalId: string;
  readonly catalogId: string;
}

const LOOKUPS_AT_ONCE = 4;
/** When a listing leaves out this many products that exist, it is limited, for example by permissions. */
const LEFT_OUT_MOST = 20;

/** True when a catalog product with this external_id is the linked one, and not somebody else's by now. */
export function isStillOurs({ externalId }: LinkedProduct, held: string | null | undefined): boolean {
  return !isForeign(held, externalId);
}

export interface GoneProducts<Link extends LinkedProduct> {
  readonly gone: readonly Link[];
  /** True when the listing left out too many products that exist; then the remaining ones were not looked up. */
  readonly limited: boolean;
}

/**
 * Looks up products that a complete listing left out, each by its id. A product that was linked after the listing was read still
 * exists, and so does one that the listing may not show. Only what the service does not know any more is gone.
 */
export async function confirmGone<Link extends LinkedProduct>(
  client: CatalogClient,
  missing: readonly Link[],
): Promise<GoneProducts<Link>> {
  const gone: Link[] = [];
  for (let from = 0; from < missing.length;) {
    const some = missing.slice(from, from + LEFT_OUT_MOST);
    gone.push(...(await goneById(client, some)));
    from += some.length;
    const present = from - gone.length;
    if (present >= LEFT_OUT_MOST && present > gone.length) return { gone, limited: true };
  }
  return { gone, limited: false };
}

/** Of these products those that the service does not know any more, or shows as somebody else's. */
export async function goneById<Link extends LinkedProduct>(
  client: CatalogClient,
  links: readonly Link[],
  signal?: AbortSignal,
): Promise<Link[]> {
  const limit = pLimit(LOOKUPS_AT_ONCE);
  const found = await Promise.all(
    links.map((link) =>
      limit(() => {
        signal?.throwIfAborted();
        return isThere(client, link);
      }),
    ),
  );
  return links.filter((_link, index) => found[index] === false);
}

/** Why linked products were not compared with the listing, for people. */
export const NOT_COMPARED = {
  incomplete: 'the catalog’s listing was incomplete',
  limited: 'the catalog’s listing leaves out products that exist',
} as const;

/** The linked products, by external_id, that the catalog no longer has. `notCompared` says why the answer is not a full one. */
export async function catalogGaps<Link extends LinkedProduct>(
  client: CatalogClient,
  linked: ReadonlyMap<string, Link>,
): Promise<{ gone: readonly Link[]; notCompared: string | null }> {
  if (linked.size === 0) return { gone: [], notCompared: null };
  const listed = new Map<string, string | null | undefined>();
  const first = await client.listProducts(OLDEST_FIRST);
  const complete = await walkListing(client, first, (products) => {
    for (const { id, external_id: externalId } of products) listed.set(String(id), externalId);
  });
  if (!complete) return { gone: [], notCompared: NOT_COMPARED.incomplete };
  const missing = [...linked.values()].filter(
    (link) => !listed.has(link.catalogId) || !isStillOurs(link, listed.get(link.catalogId)),
  );
  const { gone, limited } = await confirmGone(client, missing);
  return { gone, notCompared: limited ? NOT_COMPARED.limited : null };
}

/** A service may answer 404 for a language without texts, so the workspace's language and the service's own must both be unknown. */
async function isThere(client: CatalogClient, link: LinkedProduct): Promise<boolean> {
  const product =
    (await productOrNull(() => client.getProduct(link.catalogId))) ??
    (await productOrNull(() => client.getProduct(link.catalogId, { locale: null })));
  return product !== null && isStillOurs(link, product.external_id);
}

async function productOrNull(read: () => Promise<CatalogProduct>): Promise<CatalogProduct | null> {
  try {
    return await read();
  } catch (error) {
    if (!isCoded(error, 'not_found')) throw error;
    return null;
  }
}
