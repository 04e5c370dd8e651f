import type { ProductSnapshot } from '../domain/snapshot.js';
import type { FilterSettings } from '../domain/store-settings.js';

/**
 * The reason why the store's filter excludes a product, for people, as the rest of a sentence. Null when the product
 * is synchronised.
 */
export function reasonOutOfScope(
  product: Pick<ProductSnapshot, 'status' | 'isGiftCard'>,
  filter: Pick<FilterSettings, 'status'>,
): string | null {
  if (!filter.status.includes(product.status)) return `its status is ${product.status.toLowerCase()}`;
  if (product.isGiftCard) return 'it is a gift card';
  return null;
}
