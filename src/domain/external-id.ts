import { foldedIdentifier } from './identifier-text.js';

/** The external_ids that link a store's product to its catalog product (docs/decisions/0005-identity.md). */
export interface ProductRef {
  /** The identity of its shop. */
  readonly store: string;
  readonly productId: string;
  /** Absent for the product itself. */
  readonly variantId?: string;
}

/** The kind of the store, then a host name or a UUID, then numbers. */
const PATTERN =
  /^([a-z]+:(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+|localhost|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})):([0-9]{1,20})(?::([0-9]{1,20}))?$/;

/** The beginning of the external_ids of a shop's products. `shop`: the permanent id of the shop, unique among shops of its kind. */
export function shopIdentity(kind: string, shop: string): string {
  return `${kind}:${shop}`;
}

export function productExternalId(identity: string, productId: string): string {
  return `${identity}:${productId}`;
}

export function variantExternalId(identity: string, productId: string, variantId: string): string {
  return `${identity}:${productId}:${variantId}`;
}

/** Null for an external_id that store-sync did not create: other systems use external_ids too. */
export function parseExternalId(value: string): ProductRef | null {
  const match = PATTERN.exec(value);
  if (match === null) return null;
  const [, store = '', productId = '', variantId] = match;
  return variantId === undefined ? { store, productId } : { store, productId, variantId };
}

/** True when an answer shows this external_id of ours. A service may strip blanks or fold the letter case of identifiers. */
export function isSameExternalId(held: string | null | undefined, ours: string): boolean {
  return held === ours || foldedIdentifier(held ?? '') === foldedIdentifier(ours);
}

/** True when an answer shows somebody else's external_id. One that has none is nobody's. */
export function isForeign(held: string | null | undefined, ours: string): boolean {
  return foldedIdentifier(held ?? '') !== '' && !isSameExternalId(held, ours);
}
