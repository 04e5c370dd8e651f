import { z } from 'zod';

/** A number that the store may send as a string (UnsignedInt64). */
export const countSchema = z
  .union([z.number().int().nonnegative(), z.string().regex(/^\d{1,15}$/)])
  .transform(Number);

const errorSchema = z.object({
  message: z.string(),
  path: z
    .array(z.union([z.string(), z.number()]))
    .optional()
    .catch(undefined),
  extensions: z
    .object({ code: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

const costSchema = z.object({
  requestedQueryCost: z.number().nonnegative(),
  actualQueryCost: z.number().nonnegative().nullish(),
  throttleStatus: z.object({
    maximumAvailable: z.number().positive(),
    currentlyAvailable: z.number(),
    restoreRate: z.number().positive(),
  }),
});

const searchSchema = z.array(
  z.object({
    query: z.string().optional(),
    warnings: z
      .array(z.object({ field: z.string().nullish(), message: z.string(), code: z.string().nullish() }))
      .default([]),
  }),
);

/**
 * The envelope of a GraphQL response. `errors` is documented as a list but was also seen as a text. The cost is
 * optional, and an invalid cost is ignored. `search` affects correctness, so an invalid one is an error.
 */
export const envelopeSchema = z.object({
  data: z.unknown().optional(),
  errors: z.union([z.string(), z.array(errorSchema)]).nullish(),
  extensions: z
    .object({ cost: costSchema.optional().catch(undefined), search: searchSchema.optional() })
    .nullish(),
});

export type Envelope = z.infer<typeof envelopeSchema>;
export type GraphqlError = z.infer<typeof errorSchema>;
export type QueryCost = z.infer<typeof costSchema>;
export type SearchNote = z.infer<typeof searchSchema>[number];
