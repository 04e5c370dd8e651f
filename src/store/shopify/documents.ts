import { metafieldKey } from '../../domain/metafield-key.js';
import { mutation, query, type StoreDocument } from './document.js';

// The documents of the Admin GraphQL API 2026-01 to 2026-10, without deprecated fields. A test validates every exported document of this
// folder against the real schema.

/**
 * Scalars and lists of a product. Export and pages share them, so that both produce the same snapshot. `id` is the
 * first of the ids.
 */
const PRODUCT_FIELDS = `
  __typename id title handle descriptionHtml vendor productType tags status isGiftCard onlineStoreUrl
  category { fullName }
  seo { title description }
  options { name position optionValues { name } }`;
/** The translations of a resource's own texts. Numbers serve as aliases, because a locale may hold a hyphen. */
function translationFields(locales: readonly string[]): string {
  return locales
    .map(
      (locale, index) =>
        ` translation${String(index + 1)}: translations(locale: ${JSON.stringify(locale)}) { locale key value }`,
    )
    .join('');
}
const MEDIA_FIELDS = '__typename id ... on MediaImage { image { url } }';
const METAFIELD_FIELDS = '__typename id namespace key type value';
const metafieldFields = (locales: readonly string[]): string => METAFIELD_FIELDS + translationFields(locales);

/** The medium of a variant; the store allows one. Its address is in the product's media. */
const VARIANT_MEDIA = 'media(first: 1) { nodes { id } }';
/** An export ignores `first` and accepts no `nodes`. The medium becomes a line below the variant's. */
const EXPORTED_VARIANT_MEDIA = 'media { edges { node { __typename id } } }';

/**
 * Scalars of a variant, its weight, and at most two of its metafields, as `namespace.key`. A single metafield is not
 * a connection; an export may have only five connections.
 */
function variantFields(metafields: readonly string[], media = VARIANT_MEDIA): string {
  const named = metafields.map((name, index) => {
    const { namespace, key } = metafieldKey(name);
    const place = `namespace: ${JSON.stringify(namespace)}, key: ${JSON.stringify(key)}`;
    return ` metafield${String(index + 1)}: metafield(${place}) { ${METAFIELD_FIELDS} }`;
  });
  return `__typename id title sku barcode position selectedOptions { name value }
        inventoryItem { measurement { weight { value unit } } }${named.join('')} ${media}`;
}

/**
 * The text for bulkOperationRunQuery. The validator requires at most five connections, nested at most twice,
 * `edges { node }` and never `nodes`, an unaliased `id` in the parent of a connection, and no connection inside a list.
 */
export function bulkProductsText(
  search: string,
  variantMetafields: readonly string[] = [],
  locales: readonly string[] = [],
  metafieldLocales: readonly string[] = [],
): string {
  // A JSON string is a valid GraphQL string.
  return `{
  products(query: ${JSON.stringify(search)}) {
    edges { node {${PRODUCT_FIELDS.replaceAll('\n', '\n    ')}${translationFields(locales)}
      variants { edges { node { ${variantFields(variantMetafields, EXPORTED_VARIANT_MEDIA)} } } }
      media { edges { node { ${MEDIA_FIELDS} } } }
      metafields { edges { node { ${metafieldFields(metafieldLocales)} } } }
    } }
  }
}`;
}

export const BULK_RUN = mutation(
  'BulkRun',
  false,
  `mutation BulkRun($query: String!) {
  bulkOperationRunQuery(query: $query, groupObjects: false) {
    bulkOperation { id status }
    userErrors { field message code }
  }
}`,
);

export const BULK_POLL = query(
  'BulkPoll',
  1,
  `query BulkPoll($id: ID!) {
  bulkOperation(id: $id) { id status errorCode query objectCount rootObjectCount fileSize url }
}`,
);

export const BULK_RECENT = query(
  'BulkRecent',
  10,
  `query BulkRecent($first: Int!) {
  bulkOperations(first: $first, reverse: true, sortKey: CREATED_AT) { nodes { id status type query createdAt } }
}`,
);

export const BULK_CANCEL = mutation(
  'BulkCancel',
  true,
  `mutation BulkCancel($id: ID!) {
  bulkOperationCancel(id: $id) { bulkOperation { id status } userErrors { field message } }
}`,
);

export const PRODUCTS_PAGE = query(
  'ProductsPage',
  15,
  `query ProductsPage($first: Int!, $after: String, $query: String!) {
  products(first: $first, after: $after, query: $query, sortKey: UPDATED_AT) {
    nodes { id updatedAt }
    pageInfo { hasNextPage endCursor }
  }
}`,
);

export const PRODUCTS_COUNT = query(
  'ProductsCount',
  10,
  `query ProductsCount($query: String!) {
  productsCount(query: $query, limit: null) { count precision }
}`,
);

/** Whole products by id, with the first page of each kind of children. */
export const productDetails = (
  variantMetafields: readonly string[] = [],
  locales: readonly string[] = [],
  metafieldLocales: readonly string[] = [],
): StoreDocument =>
  query(
    'ProductDetails',
    100,
    `query ProductDetails($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on Product {${PRODUCT_FIELDS}${translationFields(locales)}
      variants(first: 100) { nodes { ${variantFields(variantMetafields)} } pageInfo { hasNextPage endCursor } }
      media(first: 50) { nodes { ${MEDIA_FIELDS} } pageInfo { hasNextPage endCursor } }
      metafields(first: 50) { nodes { ${metafieldFields(metafieldLocales)} } pageInfo { hasNextPage endCursor } }
    }
  }
}`,
  );

export const moreVariants = (variantMetafields: readonly string[] = []): StoreDocument =>
  query(
    'MoreVariants',
    30,
    `query MoreVariants($id: ID!, $after: String!) {
  product(id: $id) {
    children: variants(first: 250, after: $after) { nodes { ${variantFields(variantMetafields)} } pageInfo { hasNextPage endCursor } }
  }
}`,
  );

export const MORE_MEDIA = query(
  'MoreMedia',
  30,
  `query MoreMedia($id: ID!, $after: String!) {
  product(id: $id) {
    children: media(first: 250, after: $after) { nodes { ${MEDIA_FIELDS} } pageInfo { hasNextPage endCursor } }
  }
}`,
);

export const moreMetafields = (locales: readonly string[] = []): StoreDocument =>
  query(
    'MoreMetafields',
    20,
    `query MoreMetafields($id: ID!, $after: String!) {
  product(id: $id) {
    children: metafields(first: ${String(locales.length === 0 ? 250 : 50)}, after: $after) { nodes { ${metafieldFields(locales)} } pageInfo { hasNextPage endCursor } }
  }
}`,
  );

export const LIVE_PRODUCT = query(
  'LiveProduct',
  15,
  // Runs once for each result of a night. Every returned object costs a point.
  `query LiveProduct($id: ID!, $ns: String, $after: String, $withMetafields: Boolean!, $withSeo: Boolean!,
    $keys: [String!], $withNamed: Boolean!, $withCategory: Boolean!, $withTags: Boolean!, $withImages: Boolean!) {
  product(id: $id) {
    id status title descriptionHtml vendor productType
    category @include(if: $withCategory) { id fullName }
    tags @include(if: $withTags)
    media(first: 250) @include(if: $withImages) { nodes { alt status ${MEDIA_FIELDS} } }
    seo @include(if: $withSeo) { title description }
    metafields(first: 100, namespace: $ns, after: $after) @include(if: $withMetafields) {
      nodes { id namespace key type value compareDigest }
      pageInfo { hasNextPage endCursor }
    }
    named: metafields(first: 250, keys: $keys) @include(if: $withNamed) {
      nodes { id namespace key type value compareDigest }
    }
  }
}`,
);

export const PRODUCT_UPDATE = mutation(
  'ProductUpdate',
  // Not repeatable: the store has no compare-and-set here, and the merchant may edit the field between a lost
  // response and a repetition. The writer reads again first.
  false,
  // Runs once for each result of a night. Every returned object costs a point.
  `mutation ProductUpdate($product: ProductUpdateInput!, $withSeo: Boolean!, $withCategory: Boolean!) {
  productUpdate(product: $product) {
    product {
      id updatedAt title descriptionHtml vendor productType
      seo @include(if: $withSeo) { title description }
      category @include(if: $withCategory) { id fullName }
    }
    userErrors { field message }
  }
}`,
);

/** Repeatable: a value that is already stored is accepted with any digest. */
export const METAFIELDS_SET = mutation(
  'MetafieldsSet',
  true,
  `mutation MetafieldsSet($metafields: [MetafieldsSetInput!]!, $withOwner: Boolean!) {
  metafieldsSet(metafields: $metafields) {
    metafields {
      id namespace key value
      owner @include(if: $withOwner) { ... on Product { id } ... on ProductVariant { id } }
    }
    userErrors { field message code elementIndex }
  }
}`,
);

export const DEFINITIONS = query(
  'MetafieldDefinitions',
  20,
  `query MetafieldDefinitions($owner: MetafieldOwnerType!, $namespace: String!, $after: String) {
  metafieldDefinitions(ownerType: $owner, namespace: $namespace, first: 100, after: $after) {
    nodes { namespace key type { name } validations { name value } }
    pageInfo { hasNextPage endCursor }
  }
}`,
);

/** Repeatable: a definition that exists already is refused as taken. */
export const DEFINITION_CREATE = mutation(
  'MetafieldDefinitionCreate',
  true,
  `mutation MetafieldDefinitionCreate($definition: MetafieldDefinitionInput!) {
  metafieldDefinitionCreate(definition: $definition) {
    createdDefinition { id }
    userErrors { field message code }
  }
}`,
);

export const METAFIELDS_DELETE = mutation(
  'MetafieldsDelete',
  true,
  `mutation MetafieldsDelete($metafields: [MetafieldIdentifierInput!]!) {
  metafieldsDelete(metafields: $metafields) { deletedMetafields { namespace key } userErrors { field message } }
}`,
);

/** The ids of a namespace's metafields: the translation of a metafield is stored under the metafield's id. */
export const METAFIELD_IDS = query(
  'MetafieldIds',
  20,
  `query MetafieldIds($id: ID!, $ns: String!, $after: String) {
  product(id: $id) {
    metafields(first: 250, namespace: $ns, after: $after) {
      nodes { id namespace key }
      pageInfo { hasNextPage endCursor }
    }
  }
}`,
);

export const TRANSLATIONS = query(
  'Translations',
  20,
  `query Translations($ids: [ID!]!, $first: Int!, $locale: String!) {
  shopLocales { locale primary published }
  translatableResourcesByIds(first: $first, resourceIds: $ids) {
    nodes {
      resourceId
      translatableContent { key digest }
      translations(locale: $locale) { key value }
    }
  }
}`,
);

export const TRANSLATIONS_REGISTER = mutation(
  'TranslationsRegister',
  // Not repeatable, as with ProductUpdate: a person may translate between a lost response and a repetition.
  false,
  `mutation TranslationsRegister($id: ID!, $translations: [TranslationInput!]!) {
  translationsRegister(resourceId: $id, translations: $translations) {
    translations { key locale value }
    userErrors { field message code }
  }
}`,
);

export const TRANSLATIONS_REMOVE = mutation(
  'TranslationsRemove',
  false,
  `mutation TranslationsRemove($id: ID!, $keys: [String!]!, $locales: [String!]!) {
  translationsRemove(resourceId: $id, translationKeys: $keys, locales: $locales) {
    translations { key }
    userErrors { field message code }
  }
}`,
);

export const SHOP_LOCALES = query(
  'ShopLocales',
  5,
  `query ShopLocales { shopLocales { locale primary published } }`,
);

export const WHO_AM_I = query(
  'WhoAmI',
  5,
  `query WhoAmI {
  currentAppInstallation { id accessScopes { handle } }
  shop { id name myshopifyDomain }
  publicApiVersions { handle supported }
}`,
);

export const WEBHOOKS = query(
  'Webhooks',
  10,
  `query Webhooks($first: Int!, $after: String, $topics: [WebhookSubscriptionTopic!]) {
  webhookSubscriptions(first: $first, after: $after, topics: $topics) {
    nodes { id topic uri }
    pageInfo { hasNextPage endCursor }
  }
}`,
);

export const WEBHOOK_CREATE = mutation(
  'WebhookCreate',
  false,
  `mutation WebhookCreate($topic: WebhookSubscriptionTopic!, $sub: WebhookSubscriptionInput!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: $sub) {
    webhookSubscription { id topic uri }
    userErrors { field message }
  }
}`,
);

export const WEBHOOK_DELETE = mutation(
  'WebhookDelete',
  true,
  `mutation WebhookDelete($id: ID!) {
  webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId userErrors { field message } }
}`,
);
