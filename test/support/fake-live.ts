import type { MetafieldValue, ProductSnapshot } from '../../src/domain/snapshot.js';
import type { LiveImage, StoreField } from '../../src/domain/store-port.js';
import type { LiveContentParts, LiveMetafield, LiveParts } from '../../src/store/shopify/api-types.js';
import { fingerprint } from '../../src/domain/fingerprint.js';

/** The requested parts of a product, as a connector reads them. */
export function liveProduct(
  product: ProductSnapshot,
  namespace: string | null,
  parts: LiveParts,
  images: readonly LiveImage[],
): LiveContentParts {
  const { seo, metafields: names = [], variants = new Map<string, readonly string[]>() } = parts;
  const { 'seo.title': seoTitle, 'seo.description': seoDescription, category, ...plain } = fieldsOf(product);
  const named = product.variants.filter((each) => variants.has(each.storeId));
  return {
    storeId: product.storeId,
    status: product.status,
    fields: {
      ...plain,
      ...(seo ? { 'seo.title': seoTitle, 'seo.description': seoDescription } : {}),
      ...(parts.category === true ? { category } : {}),
    },
    metafields: [
      ...product.metafields
        .filter((field) => field.namespace === namespace || names.includes(`${field.namespace}.${field.key}`))
        .map((field) => liveMetafield(field)),
      ...named.flatMap(({ storeId: id, metafields }) =>
        metafields
          .filter(({ namespace: of, key }) => variants.get(id)?.includes(`${of}.${key}`))
          .map((field) => liveMetafield(field, id)),
      ),
    ],
    ...(parts.tags === true ? { tags: product.tags } : {}),
    ...(parts.images === true ? { images: images } : {}),
    ...(variants.size > 0 ? { variants: named.map(({ storeId: id }) => id) } : {}),
  };
}

function liveMetafield(field: MetafieldValue, variant?: string): LiveMetafield {
  return { ...field, ...(variant === undefined ? {} : { variant }), digest: fingerprint(field.value) };
}

export function fieldsOf(product: ProductSnapshot): Record<StoreField, string | null> {
  return {
    title: product.title,
    descriptionHtml: product.descriptionHtml,
    'seo.title': product.seoTitle,
    'seo.description': product.seoDescription,
    vendor: product.vendor,
    productType: product.productType,
    category: product.category,
  };
}

export function changesFor(field: StoreField, value: string | null): Partial<ProductSnapshot> {
  switch (field) {
    case 'title':
      return { title: value ?? '' };
    case 'seo.title':
      return { seoTitle: value };
    case 'seo.description':
      return { seoDescription: value };
    default:
      return { [field]: value };
  }
}
