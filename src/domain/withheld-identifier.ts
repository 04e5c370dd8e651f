import type { Identifier } from './catalog-product.js';

/** An identifier that is not sent, because it is not this product's alone (docs/decisions/0005-identity.md). */
export interface WithheldIdentifier extends Identifier {
  /** For people; nothing branches on it. */
  readonly reason: string;
}
