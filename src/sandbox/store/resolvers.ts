import type { GraphQLResolveInfo } from 'graphql';
import { publicApiVersions } from './api-versions.js';
import { comparePositions, connectionOf, wholeConnection } from './connections.js';
import type { ConnectionArgs, Position } from './connections.js';
import { metafieldDefinitionCreate, metafieldDefinitions } from './definitions.js';
import { metafieldsDelete, metafieldsSet } from './metafield-writes.js';
import { gid, parseGid, requireId } from './model.js';
import type { SandboxProduct } from './model.js';
import { changeTags, fileUpdate, productCreate, productDelete, productUpdate } from './product-mutations.js';
import { searchProducts, wholeSeconds } from './product-search.js';
import { categoryView, mediaView, productView, variantView } from './product-view.js';
import { requireScope } from './request-context.js';
import type { RequestContext } from './request-context.js';
import { categories, type CategoriesArgs } from './taxonomy.js';
import { translatableResourcesByIds, translationsRegister, translationsRemove } from './translations.js';

interface ProductsArgs extends ConnectionArgs {
  readonly query?: string | null;
  readonly sortKey?: string;
}
interface IdArgs {
  readonly id: string;
}

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
    const view = (product: SandboxProduct): object => productView(product, context);
    const { exportWindow } = context;
    if (exportWindow) {
      const { offset, size } = exportWindow;
      exportWindow.products ??= found(args.query, context, info);
      return wholeConnection(exportWindow.products.slice(offset, offset + size), view);
    }
    const positionOf = positionBy(args.sortKey);
    const products = found(args.query, context, info).toSorted((left, right) =>
      comparePositions(positionOf(left), positionOf(right)),
    );
    return connectionOf(products, args, positionOf, view);
  },
  productsCount({ query }: { query?: string | null }, context: RequestContext, info: GraphQLResolveInfo) {
    requireScope(context, 'productsCount', 'read_products');
    return { count: found(query, context, info).length, precision: 'EXACT' };
  },
  node({ id }: IdArgs, context: RequestContext) {
    return nodeOf(id, context);
  },
  nodes({ ids }: { ids: readonly string[] }, context: RequestContext) {
    return ids.map((id) => nodeOf(id, context));
  },
  shop(_args: object, { state: { shop } }: RequestContext) {
    const name = shop.replace(/\.myshopify\.com$/, '');
    return { id: gid('Shop', 90_000_000_001), name, myshopifyDomain: shop };
  },
  shopLocales(_args: object, context: RequestContext) {
    requireScope(context, 'shopLocales', 'read_locales');
    return context.state.locales;
  },
  currentAppInstallation(_args: object, { scopes }: RequestContext) {
    const accessScopes = [...scopes].map((handle) => ({ handle }));
    return { id: gid('AppInstallation', 700_000_000_001), accessScopes };
  },
  publicApiVersions(_args: object, { apiVersion }: RequestContext) {
    return publicApiVersions(apiVersion);
  },
  bulkOperation(args: IdArgs, { bulk }: RequestContext) {
    return bulk.get(args);
  },
  bulkOperations(args: ConnectionArgs & { reverse: boolean }, { bulk }: RequestContext) {
    return bulk.list(args);
  },
  taxonomy(_args: object, context: RequestContext) {
    return { categories: (args: CategoriesArgs) => categories(args, context) };
  },
  translatableResourcesByIds,
  webhookSubscriptions(
    args: ConnectionArgs & { topics?: readonly string[] | null },
    { webhooks }: RequestContext,
  ) {
    return webhooks.list(args);
  },

  productCreate,
  productDelete,
  productUpdate,
  metafieldsSet,
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

/** The current result of a search, oldest id first. Its warnings are in the response's extensions. */
function found(
  query: string | null | undefined,
  context: RequestContext,
  info: GraphQLResolveInfo,
): readonly SandboxProduct[] {
  const { state, searches } = context;
  if (!query) return state.products();
  const { matches, warnings } = searchProducts(query);
  if (warnings.length > 0) searches.push({ path: [info.path.key], query, parsed: {}, warnings });
  return state.products().filter(matches);
}

function positionBy(sortKey: string | undefined): (product: SandboxProduct) => Position {
  return ({ id, changedAt }) => ({ id, value: sortKey === 'UPDATED_AT' ? wholeSeconds(changedAt) : id });
}

/** A node by its id; null for what does not exist. */
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
    case 'TaxonomyCategory': {
      const category = state.category(id);
      return category ? categoryView(category) : null;
    }
    default:
      return null;
  }
}

function firstIn<Item>(items: readonly Item[], find: (item: Item) => object | undefined): object | null {
  for (const item of items) {
    const view = find(item);
    if (view) return view;
  }
  return null;
}
