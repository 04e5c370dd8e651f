import type { CatalogClient } from '../catalog/client.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import { isMetWith } from '../domain/error-policy.js';
import { IDENTIFIER_KINDS, type CatalogProductBody, type Identifier } from '../domain/catalog-product.js';
import { isSameExternalId, parseExternalId } from '../domain/external-id.js';

/** The most products of a search by name to look through. Names are not unique. */
const LOOK_THROUGH = 500;

/**
 * The catalog product that has the body's external_id, or null. The service's search ignores external_id
 * (docs/catalog-rules.md, LIST-06). So this searches for the product's identifiers, then for its name, then reads the newest
 * products of the listing, and compares the external_id of each hit.
 */
export async function findByExternalId(
  client: CatalogClient,
  body: CatalogProductBody,
): Promise<CatalogProduct | null> {
  const identifiers = [body, ...(body.variants ?? [])].flatMap((each) =>
    IDENTIFIER_KINDS.map((kind) => each[kind]),
  );
  const terms = [identifiers.find((value) => typeof value === 'string' && value !== ''), body.name];
  for (const search of terms) {
    if (typeof search !== 'string' || search === '') continue;
    const found = await firstWith(client, { search }, body.external_id);
    if (found) return found;
  }
  return firstWith(client, { sorting: 'desc', orderBy: 'date' }, body.external_id);
}

/** True when the catalog's search finds a product by one of these identifiers. Otherwise the service refused the value itself. */
export async function isAnyHeld(client: CatalogClient, identifiers: readonly Identifier[]): Promise<boolean> {
  for (const { value } of identifiers)
    for await (const _product of client.iterateProducts({ search: value })) return true;
  return false;
}

async function firstWith(
  client: CatalogClient,
  filters: Parameters<CatalogClient['iterateProducts']>[0],
  externalId: string,
): Promise<CatalogProduct | null> {
  let listed = 0;
  for await (const product of client.iterateProducts(filters)) {
    if (isSameExternalId(product.external_id, externalId)) return product;
    listed += 1;
    if (listed >= LOOK_THROUGH) return null;
  }
  return null;
}

/**
 * The external_id of each of our variants with its catalog id, from the product's response or else from its variants.
 */
export async function variantLinksOf(
  client: CatalogClient,
  product: CatalogProduct,
): Promise<Record<string, string>> {
  const links: Record<string, string> = {};
  const add = (variant: { id?: number | null; external_id?: string | null }): void => {
    if (variant.id == null || typeof variant.external_id !== 'string') return;
    // Other systems' external_ids may contain anything, even text that no row can store.
    if (parseExternalId(variant.external_id) !== null) links[variant.external_id] = String(variant.id);
  };
  if (product.variants != null && product.variants.length > 0) {
    product.variants.forEach(add);
    return links;
  }
  try {
    for await (const variant of client.iterateVariants(String(product.id))) add(variant);
  } catch (error) {
    // The path's methods are not documented. If the service lacks them, variants are identified only by external_id.
    if (!isMetWith(error, 'variants', 'give_up')) throw error;
  }
  return links;
}
