import type { CatalogProduct } from './schemas.js';

export type ProductId = number | string;

export type UpsertOutcome =
  | { readonly kind: 'product'; readonly product: CatalogProduct }
  | { readonly kind: 'background'; readonly taskId: string };

export interface LocaleOption {
  /** Overrides the client's locale; null asks in the service's own language. */
  readonly locale?: string | null;
}

export interface WriteOptions extends LocaleOption {
  /**
   * The fence of a write: called right before each attempt, after its waits. What it throws keeps the request from being sent
   * (docs/decisions/0009-leases-and-fences.md).
   */
  readonly beforeSend?: () => void;
}
