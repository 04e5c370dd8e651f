import { z } from 'zod';

/** The shapes of the service's bodies (docs/catalog-rules.md), written a second time for the tests: what they do not name is left alone. */
export const productShape = z.looseObject({
  id: z.int(),
  is_product_model: z.boolean(),
  created_at: z.iso.datetime({ offset: true }),
  sections: z.array(z.record(z.string(), z.unknown())),
});
export type Product = z.infer<typeof productShape>;

export const pageShape = z.looseObject({
  count: z.int(),
  next: z.url().nullable(),
  previous: z.url().nullable(),
  results: z.array(productShape),
});

export const detailShape = z.looseObject({ detail: z.string().min(1) });
export const fieldErrorsShape = z.record(z.string(), z.array(z.string().min(1)).min(1));

export const webhookShape = z.looseObject({
  url: z.url(),
  hmac_secret: z.string().nullish(),
  actions: z.array(z.string()).nullish(),
});

export const taskListShape = z.looseObject({ results: z.array(z.record(z.string(), z.unknown())) });

/** docs/catalog-rules.md#delivery-body. */
export const deliveryShape = z.looseObject({
  action: z.enum(['product_generated', 'product_generation_failed', 'product_generation_no_urls']),
  status: z.string(),
  reason_for_failure: z.string().optional(),
  credits: z.looseObject({ consumed: z.number(), remaining: z.number() }),
  task: z.looseObject({
    id: z.string(),
    status: z.string(),
    created_at: z.iso.datetime({ offset: true }),
    updated_at: z.iso.datetime({ offset: true }),
    urls: z.array(
      z.looseObject({
        id: z.int(),
        url: z.url(),
        status: z.string(),
        relevant_score: z.number(),
        is_user_provided_link: z.boolean(),
      }),
    ),
  }),
  product: productShape.nullable(),
});
export type Delivery = z.infer<typeof deliveryShape>;
