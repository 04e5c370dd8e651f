import type { ImportedProduct, ImportedVariant } from '../store/csv.js';
import type { Attribute, Image, Post, Status } from './model.js';
import type { Shop } from './shop.js';

const STATUS: Readonly<Record<ImportedProduct['status'], Status>> = {
  ACTIVE: 'publish',
  UNLISTED: 'publish',
  DRAFT: 'draft',
  ARCHIVED: 'private',
};
/** The option that a product without options has in the export. */
const NO_OPTION = 'Title';

/** Puts a product of a product export into the shop, with a variation for each variant where it has options. */
export function importProduct(shop: Shop, product: ImportedProduct): Post {
  const isVariable = product.optionNames[0] !== NO_OPTION || product.variants.length > 1;
  const [first] = product.variants;
  const images = new Map(product.images.map(({ url, alt }) => [url, shop.newImage(url, alt ?? '')]));
  const seo = [
    ['_yoast_wpseo_title', product.seoTitle],
    ['_yoast_wpseo_metadesc', product.seoDescription],
  ] as const;
  const post = shop.add(
    shop.blank({
      ...(first && !isVariable ? variantFields(shop, first) : {}),
      type: isVariable ? 'variable' : 'simple',
      row: {
        name: product.title,
        slug: product.handle,
        status: product.published ? STATUS[product.status] : 'draft',
        description: product.descriptionHtml,
      },
      categories: [product.category === null ? shop.defaultCategory : shop.categoryPath(product.category).id],
      brands: product.vendor === '' ? [] : [shop.term('brands', product.vendor).id],
      tags: product.tags.map((tag) => shop.term('tags', tag).id),
      images: [...images.values()],
      attributes: attributesOf(product, isVariable),
      meta: seo.flatMap(([key, value]) => (value === null ? [] : [shop.newMeta(key, value)])),
    }),
  );
  if (isVariable)
    for (const variant of product.variants)
      shop.add(shop.blank(variationFields(shop, post, product, variant, images)));
  return post;
}

function variationFields(
  shop: Shop,
  { id }: Post,
  product: ImportedProduct,
  variant: ImportedVariant,
  images: ReadonlyMap<string, Image>,
): Parameters<Shop['blank']>[0] {
  const image = images.get(variant.imageUrl ?? '');
  return {
    ...variantFields(shop, variant),
    type: 'variation',
    parentId: id,
    row: { name: `${product.title} - ${variant.optionValues.join(', ')}` },
    attributes: product.optionNames.map((name, at) =>
      attribute(name, [variant.optionValues[at] ?? ''], true),
    ),
    images: image ? [image] : [],
  };
}

/** The shop allows a SKU and an identifier once only. */
function variantFields(shop: Shop, variant: ImportedVariant): Partial<Omit<Post, 'id' | 'row'>> {
  const { weight } = variant;
  const identifier = (variant.barcode ?? '').replaceAll(/[^\d-]/g, '');
  const isTaken = shop.all().some((post) => identifier !== '' && post.globalUniqueId === identifier);
  return {
    sku: freeSku(shop, variant.sku ?? ''),
    globalUniqueId: isTaken ? '' : identifier,
    weight: weight === null ? '' : String(weight.value),
  };
}

function freeSku(shop: Shop, sku: string): string {
  const isTaken = (wanted: string): boolean =>
    shop.all().some((post) => post.sku.toLowerCase() === wanted.toLowerCase());
  if (sku === '' || !isTaken(sku)) return sku;
  let number = 1;
  while (isTaken(`${sku}-${number}`)) number += 1;
  return `${sku}-${number}`;
}

function attributesOf(product: ImportedProduct, isVariable: boolean): Attribute[] {
  const options = isVariable
    ? product.optionNames.map((name, at) =>
        attribute(
          name,
          [...new Set(product.variants.map((variant) => variant.optionValues[at] ?? ''))],
          true,
        ),
      )
    : [];
  return [...options, ...product.metafields.map(({ key, value }) => attribute(key, [value], false))];
}

function attribute(name: string, options: readonly string[], variation: boolean): Attribute {
  return { name, variation, options };
}
