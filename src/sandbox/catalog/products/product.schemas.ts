import { z } from 'zod';

const IDENTIFIER_MAX_LENGTH = 255;
const INT4_MAX = 2_147_483_647;

const storable = z
  .string()
  .refine((value) => !value.includes('\0') && value.isWellFormed(), 'This text cannot be stored.');
const text = storable.max(1_000_000);
const uri = z.url({ protocol: /^https?$/, error: 'Enter a valid URL.' }).max(4096);
/** An identifier that is blank identifies nothing: it is stored as none. */
const identifier = storable.max(IDENTIFIER_MAX_LENGTH);
const freeForm = z.record(z.string(), z.json());
/** An object whose values are of any type. */
export type FreeForm = z.infer<typeof freeForm>;

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
  brand: storable.max(1000).nullish(),
  category: storable.max(2000).nullish(),
  name: text.nullish(),
  description: text.nullish(),
  url: uri.nullish(),
  html_description: text.nullish(),
  external_id: identifier.nullish(),
  open_attributes: freeForm.nullish(),
  crawl_configuration: crawlConfigurationSchema.nullish(),
  images: z.array(imageSchema).nullish(),
  metadata: freeForm.nullish(),
  product_lists: z.array(storable.min(1).max(255)).nullish(),
  tags_to_update: z.array(z.int().min(-INT4_MAX).max(INT4_MAX)).nullish(),
  get variants() {
    return z.array(productBody).nullish();
  },
});
export type ProductBody = z.infer<typeof productBody>;

/** A product in an answer. `variants` is in the answers about one product, not in listings. */
export interface ProductView {
  readonly id: number;
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly mpn: string | null;
  readonly asin: string | null;
  readonly brand: string | null;
  readonly category: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly url: string | null;
  readonly html_description: string | null;
  readonly external_id: string | null;
  readonly open_attributes: FreeForm;
  readonly crawl_configuration: z.infer<typeof crawlConfigurationSchema> | null;
  readonly images: readonly z.infer<typeof imageSchema>[];
  readonly metadata: FreeForm;
  readonly product_lists: readonly string[];
  readonly tags_to_update: readonly number[];
  readonly is_product_model: boolean;
  readonly created_at: Date;
  readonly sections: readonly FreeForm[];
  variants?: ProductView[];
}
