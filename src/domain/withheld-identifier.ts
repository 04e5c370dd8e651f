import type { Identifier } from './catalog-product.js';

/** The possible owners of the product that has a withheld identifier. */
export const HOLDERS = [
  'this_store', // another product or variant of the same store
  'other_store', // a product of another store of the workspace
  'orphan', // a product of ours whose source is gone from its store
  'foreign', // a catalog product of another system
  'unclaimed', // a catalog product without an external_id, which no single product can adopt
  'refused', // the service refused the identifier and did not say who has it
] as const;
export type Whose = (typeof HOLDERS)[number];

export interface IdentifierHolder {
  readonly whose: Whose;
  /** external_ids of the products or variants that have the identifier, as far as they are known. */
  readonly externalIds: readonly string[];
  /** The catalog product or variant that holds it; null where the catalog was not the source. */
  readonly catalogId: string | null;
}

/** An identifier that is not sent because another product has it too (docs/decisions/0005-identity.md). */
export interface WithheldIdentifier extends Identifier {
  /** A sentence for people. No code branches on it. */
  readonly reason: string;
  readonly holder: IdentifierHolder;
}

/** The holder in words, for people. */
export const HOLDER_WORDS: Readonly<Record<Whose, string>> = {
  this_store: 'another product or variant of this store',
  other_store: 'a product of another store',
  orphan: 'a product whose source is gone from its store',
  foreign: 'a product of another system',
  unclaimed: 'a catalog product without an external_id',
  refused: 'a product that the catalog did not name when it refused the value',
};

/** What a person can do in each case. */
export const REMEDIES: Readonly<Record<Whose, string>> = {
  this_store: 'Keep the value on one product of the store and change it on the others.',
  other_store:
    'Keep the value in one store and change it in the other, or give each store its own workspace.',
  orphan: 'Start a full run: the product whose source is gone gives the value up.',
  foreign: 'Remove the value from that catalog product, or change it in the store.',
  unclaimed: 'Set the external_id of that catalog product to the product it belongs to, or delete it.',
  refused: 'Search the catalog, variants included, for the value and remove it there.',
};
