import { z } from 'zod';

const IDENTIFIER_MAX_LENGTH = 255;
const INT4_MAX = 2_147_483_647;

const text = z.string().max(1_000_000);
const uri = z.url({ protocol: /^https?$/, error: 'Enter a valid URL.' }).max(4096);
/** An identifier that is blank identifies nothing: it is stored as none. */
const identifier = z.string().max(IDENTIFIER_MAX_LENGTH);
/** A value of any type. One instance, so that the API description can refer to it by name. */
export const freeValue = z.json();
const freeForm = z.record(z.string(), freeValue);

const imageSchema = z.object({ source_url: uri, order: z.int().min(-INT4_MAX).max(INT4_MAX) });
const crawlConfigurationSchema = z.object({
  reference_string: text.nullish(),
  source_url: uri.nullish(),
});

/**
 * The writable fields of docs/catalog-rules.md#product. None is required, null empties one, and what is not named here (the read-only
 * fields among it) is ignored. A variant may name its `id` to say which one is meant; of any other body the `id` is ignored.
 */
export const productBody = z.object({
  id: z.int().nullish().catch(undefined),
  sku: identifier.nullish(),
  barcode: identifier.nullish(),
  mpn: identifier.nullish(),
  asin: identifier.nullish(),
  brand: z.string().max(1000).nullish(),
  category: z.string().max(2000).nullish(),
  name: text.nullish(),
  description: text.nullish(),
  url: uri.nullish(),
  html_description: text.nullish(),
  external_id: identifier.nullish(),
  open_attributes: freeForm.nullish(),
  crawl_configuration: crawlConfigurationSchema.nullish(),
  images: z.array(imageSchema).nullish(),
  metadata: freeForm.nullish(),
  product_lists: z.array(z.string().min(1).max(255)).nullish(),
  tags_to_update: z.array(z.int().min(-INT4_MAX).max(INT4_MAX)).nullish(),
  get variants() {
    return z.array(productBody).nullish();
  },
});
export type ProductBody = z.infer<typeof productBody>;

/** A product in an answer. `variants` is in the answers about one product, not in listings. */
export const productView = z.object({
  id: z.int(),
  sku: z.string().nullable(),
  barcode: z.string().nullable(),
  mpn: z.string().nullable(),
  asin: z.string().nullable(),
  brand: z.string().nullable(),
  category: z.string().nullable(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  url: z.string().nullable(),
  html_description: z.string().nullable(),
  external_id: z.string().nullable(),
  open_attributes: freeForm,
  crawl_configuration: crawlConfigurationSchema.nullable(),
  images: z.array(imageSchema),
  metadata: freeForm,
  product_lists: z.array(z.string()),
  tags_to_update: z.array(z.int()),
  is_product_model: z.boolean(),
  created_at: z.iso.datetime(),
  sections: z.array(freeForm),
  get variants() {
    return z.array(productView).optional();
  },
});
export type ProductView = z.infer<typeof productView>;

/** The answer of POST /products/ when variants are created in the background. */
export const acceptedCreation = z.object({ background_task_id: z.int() });

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    count: z.int(),
    next: z.url().nullable(),
    previous: z.url().nullable(),
    results: z.array(item),
  });
