import { Merchant } from './merchant.js';
import type { ProductStatus } from './model.js';
import { slug } from './product-html.js';
import { productView } from './product-view.js';
import { requireScope } from './request-context.js';
import type { RequestContext } from './request-context.js';
import { requireId } from './require-id.js';

interface NewProduct {
  readonly title?: string | null;
  readonly descriptionHtml?: string | null;
  readonly vendor?: string | null;
  readonly status?: ProductStatus | null;
}

/** `productCreate`: a product with the variant that every product has. */
export function productCreate(args: { product?: NewProduct | null }, context: RequestContext): object {
  requireScope(context, 'productCreate', 'write_products');
  const { title, descriptionHtml, vendor, status } = args.product ?? {};
  if (title === undefined || title === null || title.trim() === '')
    return { product: null, userErrors: [{ field: ['title'], message: "Title can't be blank" }] };
  const created = new Merchant(context.state).create({
    title: title.trim(),
    handle: freeHandle(title, context),
    descriptionHtml: descriptionHtml ?? '',
    vendor: vendor ?? context.state.shop.split('.')[0] ?? '',
    status: status ?? 'ACTIVE',
  });
  return { product: productView(created, context), userErrors: [] };
}

export function productDelete({ input }: { input: { id: string } }, context: RequestContext): object {
  requireScope(context, 'productDelete', 'write_products');
  const product = context.state.product(requireId(input.id, 'Product'));
  if (!product)
    return { deletedProductId: null, userErrors: [{ field: ['id'], message: 'Product does not exist' }] };
  context.state.remove(product);
  return { deletedProductId: product.gid, userErrors: [] };
}

function freeHandle(title: string, { state }: RequestContext): string {
  const wanted = slug(title) || 'product';
  for (let number = 0; ; number += 1) {
    const handle = number === 0 ? wanted : `${wanted}-${number}`;
    if (!state.productByHandle(handle)) return handle;
  }
}
