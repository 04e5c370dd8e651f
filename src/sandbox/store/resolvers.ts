import type { GraphQLResolveInfo } from 'graphql';
import { publicApiVersions } from './api-versions.js';
import { comparePositions, connectionOf, wholeConnection } from './connections.js';
import type { ConnectionArgs, Position } from './connections.js';
import { metafieldDefinitionCreate, metafieldDefinitions } from './definitions.js';
import { metafieldsDelete, metafieldsSet } from './metafield-writes.js';
import type { MetafieldsSetInput } from './metafield-writes.js';
import { gid, parseGid } from './model.js';
import type { SandboxProduct } from './model.js';
import { productCreate, productDelete } from './product-lifecycle.js';
import { changeTags, fileUpdate, productUpdate } from './product-mutations.js';
import { SHOP_ZONE, searchProducts, totalInventory } from './product-search.js';
import { categories, type CategoriesArgs } from './taxonomy.js';
import {
  categoryView,
  collectionView,
  mediaView,
  metafieldView,
  productView,
  variantView,
} from './product-view.js';
import { requireScope } from './request-context.js';
import { requireId } from './require-id.js';
import type { RequestContext } from './request-context.js';
import type { ShopState } from './state.js';
import {
  translatableResource,
  translatableResourcesByIds,
  translationsRegister,
  translationsRemove,
} from './translations.js';

interface ProductsArgs extends ConnectionArgs {
  readonly query?: string | null;
  readonly sortKey?: string;
}
interface IdArgs {
  readonly id: string;
}

const MAX_VARIANTS = 2048;

/*
 * The root fields. The executor has checked arguments against the schema before it calls one, so their types here are the
 * schema's.
 */
export const rootValue = {
  product({ id }: IdArgs, context: RequestContext) {
    requireScope(context, 'product', 'read_products');
    const product = context.state.product(requireId(id, 'Product'));
    return product ? productView(product, context) : null;
  },
  products(args: ProductsArgs, context: RequestContext, info: GraphQLResolveInfo) {
    requireScope(context, 'products', 'read_products');
    const positionOf = positionBy(args.sortKey ?? 'ID', context);
    const view = (product: SandboxProduct): object => productView(product, context);
    const items = (): readonly SandboxProduct[] => sortedProducts(args, positionOf, context, info);
    if (!context.exportWindow) return connectionOf(items(), args, positionOf, view);
    const { snapshots, offset, size } = context.exportWindow;
    const key = String(info.path.key);
    const snapshot = snapshots.get(key) ?? items();
    snapshots.set(key, snapshot);
    return wholeConnection(snapshot.slice(offset, offset + size), positionOf, view);
  },
  productsCount(
    args: { query?: string | null; limit?: number | null },
    context: RequestContext,
    info: GraphQLResolveInfo,
  ) {
    requireScope(context, 'productsCount', 'read_products');
    const count = found(args.query, context, info).length;
    const limit = args.limit ?? Number.POSITIVE_INFINITY;
    return count > limit ? { count: limit, precision: 'AT_LEAST' } : { count, precision: 'EXACT' };
  },
  productVariant({ id }: IdArgs, context: RequestContext) {
    requireScope(context, 'productVariant', 'read_products');
    requireId(id, 'ProductVariant');
    return nodeOf(id, context);
  },
  collection({ id }: IdArgs, context: RequestContext) {
    requireScope(context, 'collection', 'read_products');
    requireId(id, 'Collection');
    return nodeOf(id, context);
  },
  node({ id }: IdArgs, context: RequestContext) {
    return nodeOf(id, context);
  },
  nodes({ ids }: { ids: readonly string[] }, context: RequestContext) {
    return ids.map((id) => nodeOf(id, context));
  },
  shop(_args: object, { state }: RequestContext) {
    return {
      __typename: 'Shop',
      id: gid('Shop', 90_000_000_001),
      name: state.shop.replace(/\.myshopify\.com$/, ''),
      myshopifyDomain: state.shop,
      email: 'owner@example.com',
      currencyCode: 'USD',
      ianaTimezone: SHOP_ZONE.name,
      timezoneOffset: SHOP_ZONE.offset.replace(':', ''),
      plan: { publicDisplayName: 'Development', shopifyPlus: false, partnerDevelopment: true },
      resourceLimits: { maxProductVariants: MAX_VARIANTS, maxProductOptions: 3 },
    };
  },
  shopLocales({ published }: { published?: boolean | null }, context: RequestContext) {
    requireScope(context, 'shopLocales', 'read_locales');
    return context.state.locales.filter((locale) => !published || locale.published);
  },
  currentAppInstallation(_args: object, context: RequestContext) {
    return {
      __typename: 'AppInstallation',
      id: gid('AppInstallation', 700_000_000_001),
      accessScopes: [...context.scopes].map((handle) => ({
        handle,
        description: handle.replaceAll('_', ' '),
      })),
      app: { __typename: 'App', id: gid('App', 900_000_000_001), handle: 'store-sync', title: 'store-sync' },
    };
  },
  publicApiVersions(_args: object, { apiVersion }: RequestContext) {
    return publicApiVersions(apiVersion);
  },
  bulkOperation(args: IdArgs, { bulk }: RequestContext) {
    return bulk.get(args);
  },
  bulkOperations(args: ConnectionArgs, { bulk }: RequestContext) {
    return bulk.list(args);
  },
  currentBulkOperation({ type }: { type?: string | null }, { bulk }: RequestContext) {
    return type === 'MUTATION' ? null : bulk.current();
  },
  taxonomy(_args: object, context: RequestContext) {
    return { __typename: 'Taxonomy', categories: (args: CategoriesArgs) => categories(args, context) };
  },
  translatableResource,
  translatableResourcesByIds,
  webhookSubscription(args: IdArgs, { webhooks }: RequestContext) {
    return webhooks.get(args);
  },
  webhookSubscriptions(
    args: ConnectionArgs & { topics?: readonly string[] | null; uri?: string | null },
    { webhooks }: RequestContext,
  ) {
    return webhooks.list(args);
  },

  productCreate,
  productDelete,
  productUpdate,
  metafieldsSet: (args: { metafields: readonly MetafieldsSetInput[] }, context: RequestContext) =>
    metafieldsSet(args, context),
  metafieldsDelete,
  metafieldDefinitions,
  metafieldDefinitionCreate,
  translationsRegister,
  translationsRemove,
  tagsAdd: (args: { id: string; tags: readonly string[] }, context: RequestContext) =>
    changeTags(args, context, 'add'),
  tagsRemove: (args: { id: string; tags: readonly string[] }, context: RequestContext) =>
    changeTags(args, context, 'remove'),
  fileUpdate,
  bulkOperationRunQuery(args: { query: string; groupObjects: boolean }, context: RequestContext): object {
    return context.bulk.runQuery(args, context, rootValue);
  },
  bulkOperationCancel(args: IdArgs, { bulk }: RequestContext) {
    return bulk.cancel(args);
  },
  webhookSubscriptionCreate(
    args: Parameters<RequestContext['webhooks']['create']>[0],
    { webhooks }: RequestContext,
  ) {
    return webhooks.create(args);
  },
  webhookSubscriptionDelete(args: IdArgs, { webhooks }: RequestContext) {
    return webhooks.delete(args);
  },
};

/** The current result of a search. Its warnings are in the response's extensions. */
function found(
  query: string | null | undefined,
  context: RequestContext,
  info: GraphQLResolveInfo,
): readonly SandboxProduct[] {
  const { state, searches } = context;
  if (!query) return state.searchable();
  const { matches, warnings } = searchProducts(query, state);
  if (warnings.length > 0) searches.push({ path: [info.path.key], query, parsed: {}, warnings });
  return state.searchable().filter(matches);
}

interface SortedResult {
  readonly version: number;
  readonly key: string;
  readonly products: readonly SandboxProduct[];
}

/** The last result of each shop: whoever walks the pages of a large one asks for it again and again. */
const lastResults = new WeakMap<ShopState, SortedResult>();

function sortedProducts(
  args: ProductsArgs,
  positionOf: (product: SandboxProduct) => Position,
  context: RequestContext,
  info: GraphQLResolveInfo,
): readonly SandboxProduct[] {
  const { state } = context;
  const warnedBefore = context.searches.length;
  const key = JSON.stringify([args.query, args.sortKey, args.reverse]);
  const last = lastResults.get(state);
  if (last?.version === state.version && last.key === key) return last.products;
  const products = sorted(found(args.query, context, info), positionOf, args.reverse ?? false);
  // With lags the same search finds something else later; a search that warns has to warn every time.
  const lasting = !state.hasLag && context.searches.length === warnedBefore;
  if (lasting) lastResults.set(state, { version: state.version, key, products });
  return products;
}

function sorted(
  products: readonly SandboxProduct[],
  positionOf: (product: SandboxProduct) => Position,
  reverse: boolean,
): SandboxProduct[] {
  const placed = products.map((product) => ({ product, position: positionOf(product) }));
  const order = reverse ? -1 : 1;
  return placed
    .sort((left, right) => order * comparePositions(left.position, right.position))
    .map(({ product }) => product);
}

function positionBy(sortKey: string, { state }: RequestContext): (product: SandboxProduct) => Position {
  const values: Readonly<Record<string, (product: SandboxProduct) => string | number>> = {
    TITLE: (product) => product.title.toLowerCase(),
    VENDOR: (product) => product.vendor.toLowerCase(),
    PRODUCT_TYPE: (product) => product.productType.toLowerCase(),
    INVENTORY_TOTAL: totalInventory,
    CREATED_AT: (product) => product.createdAt.getTime(),
    UPDATED_AT: (product) => state.updatedAt(product).getTime(),
    PUBLISHED_AT: (product) => product.publishedAt?.getTime() ?? 0,
  };
  const valueOf = values[sortKey] ?? ((product: SandboxProduct) => product.id);
  return (product) => ({ id: product.id, value: valueOf(product) });
}

/** Any node by its id; null for what does not exist. */
function nodeOf(id: string, context: RequestContext): object | null {
  const parsed = parseGid(id);
  const number = Number(parsed?.id);
  const { state } = context;
  switch (parsed?.type) {
    case 'Product': {
      const product = state.product(number);
      return product ? productView(product, context) : null;
    }
    case 'ProductVariant':
      return firstIn(state.products(), (product) => {
        const variant = product.variants.find((each) => each.id === number);
        return variant && variantView(variant, product, context);
      });
    case 'MediaImage':
      return firstIn(state.products(), (product) => {
        const image = product.media.find((each) => each.id === number);
        return image && mediaView(image);
      });
    case 'Metafield':
      return firstIn(state.products(), (product) => {
        const own = product.metafields.find((each) => each.id === number);
        if (own) return metafieldView(own, { type: 'PRODUCT', gid: product.gid }, context);
        for (const { gid: owner, metafields } of product.variants) {
          const found = metafields.find((each) => each.id === number);
          if (found) return metafieldView(found, { type: 'PRODUCTVARIANT', gid: owner }, context);
        }
        return undefined;
      });
    case 'TaxonomyCategory': {
      const category = state.category(id);
      return category ? categoryView(category) : null;
    }
    case 'Collection':
      return firstIn(state.products(), (product) => {
        const collection = product.collections.find((each) => each.id === number);
        return collection && collectionView(collection, context);
      });
    case 'BulkOperation':
      return context.bulk.get({ id });
    case 'WebhookSubscription':
      return context.webhooks.get({ id });
    default:
      return null;
  }
}

function firstIn<Item>(items: readonly Item[], find: (item: Item) => object | undefined): object | null {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return null;
}
