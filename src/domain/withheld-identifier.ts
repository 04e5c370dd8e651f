import type { Identifier } from './catalog-product.js';

/** An identifier that is not sent, because it is not this product's alone (design section 1.6). */
export interface WithheldIdentifier extends Identifier {
  /** For people; nothing branches on it. */
  readonly reason: string;
}
