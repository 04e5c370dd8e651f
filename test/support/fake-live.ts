import { metafieldKey, metafieldTarget, variantMetafieldsIn } from '../../src/domain/metafield-key.js';
import type { MetafieldValue, ProductSnapshot } from '../../src/domain/snapshot.js';
import type { LiveImage, LiveProduct, LiveValue, StoreField } from '../../src/domain/store-port.js';
import { fingerprint } from '../../src/domain/fingerprint.js';
import { IMAGE_ALTS, imageAltTarget, imageOfTarget, tagTarget } from '../../src/domain/write-target.js';

/** What a read for the targets answers, as a connector does. */
export function liveProduct(
  product: ProductSnapshot,
  targets: readonly string[],
  images: readonly LiveImage[],
): LiveProduct {
  const text = (value: string | null): LiveValue => ({ value, token: null, type: null });
  const withSeo = targets.some((target) => target.startsWith('seo.'));
  const values = new Map<string, LiveValue>();
  for (const [field, value] of Object.entries(fieldsOf(product)))
    if (field === 'category' ? targets.includes(field) : withSeo || !field.startsWith('seo.'))
      values.set(field, text(value));
  const put = (field: MetafieldValue, variant?: string): void => {
    const target = metafieldTarget({ ...field, ...(variant === undefined ? {} : { variant }) });
    if (targets.includes(target) || targets.includes(`metafield:${field.namespace}.*`))
      values.set(target, { value: field.value, token: fingerprint(field.value), type: field.type });
  };
  for (const field of product.metafields) put(field);
  for (const [variant, names] of variantMetafieldsIn(targets)) {
    const found = product.variants.find(({ storeId }) => storeId === variant);
    for (const field of found?.metafields ?? []) put(field, variant);
    const closed = { why: 'gone', reason: 'the variant no longer exists' } as const;
    if (found === undefined)
      for (const name of names)
        values.set(metafieldTarget({ ...metafieldKey(name), variant }), { ...text(null), closed });
  }
  for (const tag of product.tags) values.set(tagTarget(tag), text(tag));
  for (const { id, alt } of images) values.set(imageAltTarget(id), text(alt));
  const withImages = targets.some((target) => target === IMAGE_ALTS || imageOfTarget(target) !== null);
  return {
    storeId: product.storeId,
    status: product.status,
    values,
    ...(withImages ? { images } : {}),
  };
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
