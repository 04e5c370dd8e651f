import type { ReadScope, UnparsedProduct } from '../domain/store-port.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import { ExportedProduct } from './shopify/exported-product.js';

/** Products in one piece of memory, one after the other. */
export interface UnparsedProducts {
  readonly format: UnparsedProduct['format'];
  readonly scope: ReadScope;
  readonly storeIds: readonly string[];
  /** The end of each product in `bytes`. The next one begins there. */
  readonly ends: readonly number[];
}

type Parser = (products: UnparsedProducts, bytes: Buffer, index: number) => ProductSnapshot;

const PARSERS: Readonly<Record<UnparsedProduct['format'], Parser>> = {
  shopify_export: ({ scope, storeIds, ends }, bytes, index) => {
    const start = ends[index - 1] ?? 0;
    return new ExportedProduct(storeIds[index] ?? '', bytes, [1], scope, start, ends[index]).snapshot();
  },
};

/**
 * The snapshot of the product with this index: that of `SourceProduct.snapshot`, which also says where in its export a malformed
 * product is. Throws `transient` for one.
 */
export function parseUnparsed(products: UnparsedProducts, bytes: Buffer, index: number): ProductSnapshot {
  return PARSERS[products.format](products, bytes, index);
}
