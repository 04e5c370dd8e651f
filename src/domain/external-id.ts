import { foldedIdentifier } from './identifier-text.js';

/** The external_ids that link a store's product to its catalog product (docs/decisions/0005-identity.md). */
export interface ProductRef {
  readonly shop: string;
  readonly productId: string;
  /** Absent for the product itself. */
  readonly variantId?: string;
}

const PATTERN = /^shopify:([a-z0-9][a-z0-9-]*\.myshopify\.com):([0-9]+)(?::([0-9]+))?$/;

export function productExternalId(shop: string, productId: string): string {
  return `shopify:${shop}:${productId}`;
}

export function variantExternalId(shop: string, productId: string, variantId: string): string {
  return `shopify:${shop}:${productId}:${variantId}`;
}

/** Null for an external_id that store-sync did not create: other systems use external_ids too. */
export function parseExternalId(value: string): ProductRef | null {
  const match = PATTERN.exec(value);
  if (match === null) return null;
  const [, shop = '', productId = '', variantId] = match;
  return variantId === undefined ? { shop, productId } : { shop, productId, variantId };
}

/** True when an answer shows this external_id of ours. A service may strip blanks or fold the letter case of identifiers. */
export function isSameExternalId(held: string | null | undefined, ours: string): boolean {
  return held === ours || foldedIdentifier(held ?? '') === foldedIdentifier(ours);
}

/** True when an answer shows somebody else's external_id. One that has none is nobody's. */
export function isForeign(held: string | null | undefined, ours: string): boolean {
  return foldedIdentifier(held ?? '') !== '' && !isSameExternalId(held, ours);
}
