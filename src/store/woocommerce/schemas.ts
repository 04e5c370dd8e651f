import { z } from 'zod';

const id = z.int().positive();
const name = z.string();
const term = z.object({ id: z.int().nonnegative(), name, slug: z.string().catch('') });
const image = z.object({ id: z.int().nonnegative(), src: z.string(), alt: z.string().catch('') });
const meta = z.object({ id: z.int().optional().catch(undefined), key: z.string(), value: z.unknown() });

export const idRow = z.object({ id });

/** A product in `context=edit`, narrowed by `PRODUCT_FIELDS`. */
export const productSchema = z.object({
  id,
  name,
  slug: z.string().catch(''),
  permalink: z.string().catch(''),
  status: z.string(),
  type: z.string().catch('simple'),
  catalog_visibility: z.string().catch('visible'),
  description: z.string(),
  short_description: z.string(),
  sku: z.string().catch(''),
  global_unique_id: z.string().catch(''),
  weight: z.string().catch(''),
  categories: z.array(term).catch([]),
  brands: z.array(term).catch([]),
  tags: z.array(term).catch([]),
  images: z.array(image).catch([]),
  attributes: z
    .array(
      z.object({
        name,
        slug: z.string().catch(''),
        variation: z.boolean().catch(false),
        options: z.array(z.string()).catch([]),
      }),
    )
    .catch([]),
  meta_data: z.array(meta).catch([]),
  date_modified_gmt: z.string().nullable().catch(null),
});
export type WooProduct = z.output<typeof productSchema>;
export const PRODUCT_FIELDS = Object.keys(productSchema.shape).join(',');

export const variationSchema = z.object({
  id,
  parent_id: z.int().nonnegative().catch(0),
  name: name.catch(''),
  status: z.string().catch('publish'),
  sku: z.string().catch(''),
  global_unique_id: z.string().catch(''),
  weight: z.string().catch(''),
  image: image.nullable().catch(null),
  attributes: z.array(z.object({ name, option: z.string().catch('') })).catch([]),
  menu_order: z.int().catch(0),
});
export type WooVariation = z.output<typeof variationSchema>;
export const VARIATION_FIELDS = Object.keys(variationSchema.shape).join(',');

export const statusSchema = z.object({
  environment: z.object({
    version: z.string().catch(''),
    wp_version: z.string().catch(''),
    home_url: z.string(),
    store_id: z.string().nullish().catch(null),
  }),
  active_plugins: z.array(z.looseObject({ plugin: z.string().catch('') })).catch([]),
});

export const categorySchema = z.object({ id, name, parent: z.int().nonnegative().catch(0) });

export const webhookSchema = z.object({
  id,
  topic: z.string(),
  status: z.string(),
  delivery_url: z.string(),
});

export const anything = z.unknown();
