/**
 * The bodies of the catalog service (docs/catalog-rules.md) as zod schemas. Responses are read tolerantly: unknown
 * fields pass through, and a field without a value may be absent or null.
 */
import { z } from 'zod';
import { idOf } from '../runtime/untrusted-json.js';

const text = z.string().nullish();
const freeForm = z.record(z.string(), z.unknown());
/** An object of any members. Unlike a record of zod it is not copied, which takes long for a product of many sections. */
const sectionSchema = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);

/** The service documents task ids as integers and as strings. They are kept as strings. */
const taskId = z.union([z.string(), z.int()]);

/** A delivery may have no task id: absent, null and empty are equal, and so is one that is too long. */
const deliveredTaskIdSchema = taskId.nullish().transform(idOf);

/** A product's `id`: an integer, or a string of digits. */
const productIdSchema = z.union([
  z.int(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);

/**
 * A variant inside a product. It has the shape of a product (docs/catalog-rules.md#product) without variants of its own, sometimes without
 * its id.
 */
export const variantSchema = z.looseObject({
  sku: text,
  barcode: text,
  mpn: text,
  asin: text,
  brand: text,
  category: text,
  name: text,
  description: text,
  url: text,
  html_description: text,
  external_id: text,
  open_attributes: freeForm.nullish(),
  crawl_configuration: z.looseObject({ reference_string: text, source_url: text }).nullish(),
  images: z.array(z.looseObject({ source_url: text, order: z.number().nullish() })).nullish(),
  metadata: freeForm.nullish(),
  product_lists: z.array(z.string()).nullish(),
  tags_to_update: z.array(z.int()).nullish(),
  // Read-only.
  id: productIdSchema.nullish(),
  is_product_model: z.boolean().nullish(),
  created_at: text,
  sections: z.array(sectionSchema).nullish(),
});

/** A product in a response (docs/catalog-rules.md#product, writable and read-only fields). */
export const productSchema = variantSchema.extend({
  id: productIdSchema,
  variants: z.array(variantSchema).nullish(),
});
export type CatalogProduct = z.output<typeof productSchema>;
export type CatalogVariant = z.output<typeof variantSchema>;

/** The accepted outcome (docs/catalog-rules.md, CREATE-08): the variants are created in the background. */
export const backgroundCreationSchema = z.looseObject({
  background_task_id: taskId.transform(idOf).pipe(z.string()),
});

/** A page of a list (docs/catalog-rules.md, LIST-01). Only `results` and `next` are used. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.looseObject({
    count: z.number().nullish(),
    next: text,
    previous: text,
    results: z.array(item),
  });
}

export const WEBHOOK_ACTIONS = [
  'product_generated',
  'product_generation_failed',
  'product_generation_no_urls',
] as const;

/** The request body of POST /settings/webhooks/ (docs/catalog-rules.md#webhook-configuration). */
export interface WebhookConfigInput {
  readonly url: string;
  readonly hmac_secret?: string;
  readonly actions?: (typeof WEBHOOK_ACTIONS)[number][];
}

/** The webhook configuration in a response. Another system may own it, so any URL and any action is accepted. */
export const webhookConfigSchema = z.looseObject({
  url: z.string().min(1),
  hmac_secret: text,
  actions: z.array(z.string()).nullish(),
});
export type WebhookConfig = z.output<typeof webhookConfigSchema>;

const deliveryUrlSchema = z.looseObject({
  id: z.union([z.int(), z.string()]).nullish(),
  url: text,
  status: text,
  relevant_score: z.number().nullish(),
  is_user_provided_link: z.boolean().nullish(),
});

/**
 * A delivery's body (docs/catalog-rules.md#delivery-body). Only `action` is required; the receiver parks a delivery
 * that it cannot assign. `action` is any string, so that an event kind of a later version does not count as a broken
 * body.
 */
export const deliverySchema = z.looseObject({
  action: z.string().min(1),
  status: text,
  reason_for_failure: text,
  credits: z.looseObject({ consumed: z.number().nullish(), remaining: z.number().nullish() }).nullish(),
  task: z
    .looseObject({
      id: deliveredTaskIdSchema,
      status: text,
      created_at: text,
      updated_at: text,
      urls: z.array(deliveryUrlSchema).nullish(),
    })
    .nullish(),
  product: productSchema.nullish(),
});
export type CatalogDelivery = z.output<typeof deliverySchema>;

/** A background task's record. Its fields are undocumented, so they are read by the names in assumptions.ts. */
export const taskRecordSchema = z.looseObject({});
