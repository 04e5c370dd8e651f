import { z } from 'zod';
import { CodedError } from '../../domain/errors.js';

const id = z.int().positive();
const name = z.string();
const text = z.string();
const term = z.object({ id: z.int().nonnegative(), name });
const image = z.object({ id: z.int().nonnegative(), src: text, alt: text.default('') });
/** An entry without a readable key gets the empty key, which no setting can name. */
const meta = z.object({ key: text.catch(''), value: z.unknown() });

/** An entry of a list. Only its id is checked here, and the rest product by product, so that an odd one stops no other. */
export const entrySchema = z.looseObject({ id });
export type Entry = z.output<typeof entrySchema>;
export const variationEntry = entrySchema.extend({ parent_id: z.int().nonnegative() });

/**
 * A product in `context=edit`, narrowed by `PRODUCT_FIELDS`. What cannot be read is not empty, so only what older versions of WooCommerce
 * do not have may be absent.
 */
export const productSchema = z.object({
  id,
  name,
  slug: text,
  permalink: text,
  status: text,
  type: text,
  catalog_visibility: text.default('visible'),
  description: text,
  short_description: text,
  sku: text,
  global_unique_id: text.default(''),
  weight: text,
  categories: z.array(term),
  brands: z.array(term).default([]),
  tags: z.array(term),
  images: z.array(image),
  attributes: z.array(
    z.object({ name, slug: text.default(''), variation: z.boolean(), options: z.array(text) }),
  ),
  meta_data: z.array(meta),
  /** The numbers of its variations, which prove that all of them were read. */
  variations: z.array(id).default([]),
});
export type WooProduct = z.output<typeof productSchema>;
export const PRODUCT_FIELDS = Object.keys(productSchema.shape).join(',');

export const variationSchema = z.object({
  id,
  parent_id: z.int().nonnegative().default(0),
  name: name.default(''),
  sku: text,
  global_unique_id: text.default(''),
  weight: text,
  image: image.nullable(),
  attributes: z.array(z.object({ name, option: text.default('') })),
  menu_order: z.int().default(0),
});
export type WooVariation = z.output<typeof variationSchema>;
export const VARIATION_FIELDS = Object.keys(variationSchema.shape).join(',');

/** Throws `transient`, which names the first field that does not fit. */
export function readEntry<T>(schema: z.ZodType<T>, entry: Entry, what: string): T {
  const parsed = schema.safeParse(entry);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.map(String).join('.') ?? '';
  throw new CodedError('transient', `${what} ${String(entry.id)} has unexpected data at ${place}`, {
    cause: parsed.error,
    side: 'store',
  });
}

export const statusSchema = z.object({
  environment: z.object({
    version: z.string().catch(''),
    wp_version: z.string().catch(''),
    home_url: z.string().refine((text) => URL.canParse(text)),
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
