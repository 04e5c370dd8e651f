import { z } from 'zod';
import { countSchema } from './answer.js';

/** The store's responses and export lines. The empty string counts as null. */
const text = z
  .string()
  .nullish()
  .transform((value) => (value === undefined || value === '' ? null : value));
const gid = (kind: string): z.ZodString => z.string().regex(new RegExp(`^gid://shopify/${kind}/\\d+$`));
const productId = gid('Product');

const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() });
const page = <T extends z.ZodType>(
  node: T,
): z.ZodObject<{ nodes: z.ZodArray<T>; pageInfo: typeof pageInfo }> =>
  z.object({ nodes: z.array(node), pageInfo });

/** The store's units of weight, as people write them. */
const WEIGHT_UNITS = { GRAMS: 'g', KILOGRAMS: 'kg', OUNCES: 'oz', POUNDS: 'lb' } as const;

const weight = z.object({ value: z.number(), unit: z.string() }).nullish();

/** A weight with its unit, such as `250 g`. The store returns zero when no weight was entered. */
const measuredWeight = z
  .object({ measurement: z.object({ weight }).nullish() })
  .nullish()
  .transform((item) => weightText(item?.measurement?.weight ?? { value: 0, unit: '' }));

/** Null for no weight, and for a unit that people do not write. */
export function weightText({
  value,
  unit,
}: {
  readonly value: number;
  readonly unit: string;
}): string | null {
  const short = Object.hasOwn(WEIGHT_UNITS, unit) ? WEIGHT_UNITS[unit as keyof typeof WEIGHT_UNITS] : null;
  return value > 0 && short !== null ? `${String(value)} ${short}` : null;
}

export const metafieldSchema = z.object({
  namespace: z.string(),
  key: z.string(),
  type: z.string(),
  value: z.string(),
});

export const variantSchema = z.object({
  id: gid('ProductVariant'),
  title: z.string(),
  sku: text,
  barcode: text,
  position: z.number().int(),
  selectedOptions: z.array(z.object({ name: z.string(), value: z.string() })),
  inventoryItem: measuredWeight,
  metafield1: metafieldSchema.nullish(),
  metafield2: metafieldSchema.nullish(),
  // An export has the media of a variant in lines of their own.
  media: z.object({ nodes: z.array(z.object({ id: z.string() })) }).nullish(),
});

/** A medium of a variant, as an export's line below that of the variant. */
export const variantMediaSchema = z.object({ id: z.string(), __parentId: gid('ProductVariant') });

/** Any kind of media. Only images have an address. */
export const mediaSchema = z.object({
  id: z.string(),
  image: z.object({ url: z.url({ protocol: /^https?$/ }) }).nullish(),
});

export const productCoreSchema = z.object({
  id: productId,
  title: z.string(),
  handle: z.string(),
  descriptionHtml: text,
  vendor: text,
  productType: text,
  tags: z.array(z.string()),
  status: z.enum(['ACTIVE', 'ARCHIVED', 'DRAFT', 'UNLISTED']),
  isGiftCard: z
    .boolean()
    .nullish()
    .transform((value) => value === true),
  onlineStoreUrl: text,
  category: z.object({ fullName: text }).nullish(),
  seo: z.object({ title: text, description: text }).nullish(),
  options: z.array(
    z.object({
      name: z.string(),
      position: z.number().int().nullish(),
      optionValues: z.array(z.object({ name: z.string() })),
    }),
  ),
});

/** The translations of a product's texts into one locale. A translation without a text counts as none. */
export const translationsSchema = z.array(
  z.object({ locale: z.string(), key: z.string(), value: z.string().nullish() }),
);

/**
 * The pages of a product's children with unparsed nodes. Nodes are parsed one by one, so that an error names the
 * malformed one.
 */
export const productDetailPagesSchema = z.object({
  id: productId,
  variants: page(z.unknown()),
  media: page(z.unknown()),
  metafields: page(z.unknown()),
});

export const detailsData = z.object({ nodes: z.array(z.unknown()) });
export const nodeKindSchema = z.object({ __typename: z.string() });

export const moreData = z.object({ product: z.object({ children: page(z.unknown()) }).nullable() });

export const productsPageData = z.object({
  // A product's time may be malformed. Its details are read all the same.
  products: page(
    z.object({ id: productId, updatedAt: z.iso.datetime({ offset: true }).nullable().catch(null) }),
  ),
});

export const productsCountData = z.object({
  productsCount: z.object({ count: countSchema, precision: z.string() }).nullable(),
});

/**
 * A line of an export, only with the parts that determine its place. The rest is parsed by its kind. The id has the
 * kind, too, for a store that omits `__typename`.
 */
export const exportLineSchema = z
  .object({ __typename: z.string().nullish(), id: z.string(), __parentId: z.string().nullish() })
  .transform(({ __typename, id, __parentId }) => ({
    kind: __typename ?? /^gid:\/\/shopify\/(\w+)\//.exec(id)?.[1] ?? 'unknown',
    id,
    parent: __parentId ?? null,
  }));

const userError = z.object({
  field: z.array(z.string()).nullish(),
  message: z.string(),
  code: z.string().nullish(),
  elementIndex: z.number().int().nullish(),
});
export type UserError = z.infer<typeof userError>;
const userErrors = z.array(userError);

const operationStatus = z.enum([
  'CREATED',
  'RUNNING',
  'COMPLETED',
  'CANCELING',
  'CANCELED',
  'FAILED',
  'EXPIRED',
]);

export const bulkRunData = z.object({
  bulkOperationRunQuery: z.object({
    bulkOperation: z.object({ id: z.string(), status: operationStatus }).nullable(),
    userErrors,
  }),
});

export const bulkPollData = z.object({
  bulkOperation: z
    .object({
      id: z.string(),
      status: operationStatus,
      errorCode: z.string().nullish(),
      query: z.string().optional(),
      objectCount: countSchema,
      rootObjectCount: countSchema,
      fileSize: countSchema.nullish(),
      url: z.string().nullish(),
    })
    .nullable(),
});
export type BulkOperation = NonNullable<z.infer<typeof bulkPollData>['bulkOperation']>;

export const bulkRecentData = z.object({
  bulkOperations: z.object({
    nodes: z.array(
      z.object({
        id: z.string(),
        status: operationStatus,
        query: z.string(),
        createdAt: z.iso.datetime({ offset: true }),
      }),
    ),
  }),
});

export const bulkCancelData = z.object({ bulkOperationCancel: z.object({ userErrors }) });

const contentFields = {
  title: text,
  descriptionHtml: text,
  vendor: text,
  productType: text,
  seo: z.object({ title: text, description: text }).nullish(),
  category: z.object({ fullName: text }).nullish(),
};
const liveContentSchema = z.object(contentFields);
export type LiveContent = z.infer<typeof liveContentSchema>;

const liveMediaSchema = z.object({
  __typename: z.string(),
  id: z.string(),
  alt: text,
  status: z.string(),
  image: z.object({ url: z.string() }).nullish(),
});
export type LiveMedia = z.infer<typeof liveMediaSchema>;

const liveMetafieldSchema = metafieldSchema.extend({ compareDigest: z.string() });
export type LiveMetafield = z.infer<typeof liveMetafieldSchema>;

export const liveProductData = z.object({
  product: z
    .object({
      ...contentFields,
      status: z.string(),
      metafields: page(liveMetafieldSchema).optional(),
      tags: z.array(z.string()).optional(),
      media: z.object({ nodes: z.array(liveMediaSchema) }).optional(),
      named: z.object({ nodes: z.array(liveMetafieldSchema) }).optional(),
    })
    .nullable(),
});

export type LiveProductNode = NonNullable<z.infer<typeof liveProductData>['product']>;

/** An id of something else answers with an empty node. */
export const liveVariantsData = z.object({
  nodes: z.array(
    z
      .object({
        id: gid('ProductVariant'),
        product: z.object({ id: z.string() }),
        metafields: z.object({ nodes: z.array(liveMetafieldSchema) }),
      })
      .nullable()
      .or(z.strictObject({}).transform(() => null)),
  ),
});

const categorySchema = z.object({ id: z.string(), fullName: z.string(), isArchived: z.boolean() });

export const categoriesData = z.object({
  taxonomy: z.object({ categories: page(categorySchema) }).nullable(),
});

export const categoryData = z.object({
  node: categorySchema.nullable().or(z.strictObject({}).transform(() => null)),
});

const taggedNode = z.object({ id: productId, tags: z.array(z.string()) }).nullable();

export const tagsData = z.object({ change: z.object({ node: taggedNode, userErrors }) });

export const fileUpdateData = z.object({
  fileUpdate: z.object({ files: z.array(z.object({ id: z.string(), alt: text })).nullable(), userErrors }),
});

export const productUpdateData = z.object({
  productUpdate: z.object({ product: liveContentSchema.nullable(), userErrors }),
});

export const metafieldsSetData = z.object({
  metafieldsSet: z.object({
    metafields: z
      .array(
        z.object({
          namespace: z.string(),
          key: z.string(),
          value: z.string(),
          owner: z.object({ id: z.string() }).optional(),
        }),
      )
      .nullable(),
    userErrors,
  }),
});

export const definitionsData = z.object({
  metafieldDefinitions: page(
    z.object({
      namespace: z.string(),
      key: z.string(),
      type: z.object({ name: z.string() }),
      validations: z.array(
        z.object({
          name: z.string(),
          value: z
            .string()
            .nullish()
            .transform((text) => text ?? null),
        }),
      ),
    }),
  ),
});

export const definitionCreateData = z.object({ metafieldDefinitionCreate: z.object({ userErrors }) });

export const metafieldsDeleteData = z.object({ metafieldsDelete: z.object({ userErrors }) });

export const metafieldIdsData = z.object({
  product: z
    .object({ metafields: page(z.object({ id: gid('Metafield'), namespace: z.string(), key: z.string() })) })
    .nullable(),
});

const shopLocale = z.object({ locale: z.string(), primary: z.boolean(), published: z.boolean() });
export type ShopLocale = z.infer<typeof shopLocale>;
export const shopLocalesData = z.object({ shopLocales: z.array(shopLocale) });

export const translationsData = z.object({
  shopLocales: z.array(shopLocale),
  translatableResourcesByIds: z.object({
    nodes: z.array(
      z.object({
        resourceId: z.string(),
        translatableContent: z.array(z.object({ key: z.string(), digest: z.string().nullish() })),
        translations: z.array(z.object({ key: z.string(), value: text })),
      }),
    ),
  }),
});

export const translationsRegisterData = z.object({
  translationsRegister: z
    .object({
      translations: z
        .array(z.object({ key: z.string(), locale: z.string(), value: z.string().nullish() }))
        .nullish(),
      userErrors,
    })
    .nullable(),
});

export const translationsRemoveData = z.object({
  translationsRemove: z.object({ userErrors }).nullable(),
});

export const whoAmIData = z.object({
  currentAppInstallation: z.object({ accessScopes: z.array(z.object({ handle: z.string() })) }),
  shop: z.object({ name: z.string(), myshopifyDomain: z.string() }),
  publicApiVersions: z.array(z.object({ handle: z.string(), supported: z.boolean() })),
});

export const webhooksData = z.object({
  webhookSubscriptions: page(z.object({ id: z.string(), topic: z.string(), uri: z.string() })),
});

export const webhookDeleteData = z.object({
  webhookSubscriptionDelete: z.object({ userErrors: z.array(userError) }),
});

export const webhookCreateData = z.object({
  webhookSubscriptionCreate: z.object({
    webhookSubscription: z.object({ id: z.string() }).nullable(),
    userErrors,
  }),
});
