import type { MediaImage, ProductVariant, SandboxProduct } from './model.js';
import { gid } from './model.js';
import type { ProductEvent, ShopState } from './state.js';

/** A product as webhooks carry it: the shape of the older REST resource. A deleted one is its id alone. */
export function webhookPayload(
  event: ProductEvent,
  product: SandboxProduct,
  state: ShopState,
): Record<string, unknown> {
  if (event === 'delete') return { id: product.id };
  return {
    admin_graphql_api_id: product.gid,
    body_html: product.descriptionHtml,
    created_at: time(product.createdAt),
    handle: product.handle,
    id: product.id,
    product_type: product.productType,
    published_at: product.publishedAt && time(product.publishedAt),
    template_suffix: product.templateSuffix,
    title: product.title,
    updated_at: time(state.updatedAt(product)),
    vendor: product.vendor,
    status: product.status.toLowerCase(),
    published_scope: 'web',
    tags: product.tags.join(', '),
    variants: product.variants.map((variant, index) => variantPayload(variant, product.id, index + 1)),
    options: product.options.map((option, index) => ({
      name: option.name,
      id: option.id,
      product_id: product.id,
      position: index + 1,
      values: option.values.map((value) => value.name),
    })),
    images: product.media.map((image, index) => imagePayload(image, product.id, index + 1)),
    image: product.media[0] ? imagePayload(product.media[0], product.id, 1) : null,
    category: product.category && {
      admin_graphql_api_id: product.category.gid,
      full_name: product.category.fullName,
    },
  };
}

function variantPayload(variant: ProductVariant, productId: number, position: number): object {
  const [option1, option2, option3] = variant.selectedOptions;
  return {
    admin_graphql_api_id: variant.gid,
    barcode: variant.barcode,
    compare_at_price: variant.compareAtPrice,
    created_at: time(variant.createdAt),
    id: variant.id,
    position,
    price: variant.price,
    product_id: productId,
    sku: variant.sku,
    title: variant.title,
    updated_at: time(variant.changedAt),
    option1: option1?.value ?? null,
    option2: option2?.value ?? null,
    option3: option3?.value ?? null,
    inventory_item_id: variant.inventoryItemId,
    inventory_quantity: variant.inventoryQuantity,
  };
}

function imagePayload(image: MediaImage, productId: number, position: number): object {
  const { id, url: src, alt } = image;
  return { id, alt, position, product_id: productId, src, admin_graphql_api_id: gid('MediaImage', id) };
}

function time(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, 'Z');
}
