import type { Identifier } from './catalog-product.js';

/** An identifier that is not sent because another product has it too (docs/decisions/0005-identity.md). */
export interface WithheldIdentifier extends Identifier {
  /** For people. No code branches on it. */
  readonly reason: string;
}
