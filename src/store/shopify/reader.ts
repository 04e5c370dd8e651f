import { metafieldKey } from '../../domain/metafield-key.js';
import { isCoded } from '../../domain/errors.js';
import type {
  LiveImage,
  LiveMetafield,
  LiveParts,
  LiveProduct,
  PageSelection,
  SourceProduct,
  StoreField,
} from '../../domain/store-port.js';
import type { ShopifyClient } from './client.js';
import { type ProductDetails, requireCursor, standingCursor } from './details.js';
import { LIVE_VARIANTS } from './part-documents.js';
import { LIVE_PRODUCT, PRODUCTS_COUNT, PRODUCTS_PAGE } from './documents.js';
import { numericId, VARIANT_GID } from './mapper.js';
import type { ShopifyLimits } from './options.js';
import {
  type LiveContent,
  type LiveMedia,
  liveProductData,
  liveVariantsData,
  productsCountData,
  productsPageData,
} from './schemas.js';
import { productSearch, requireHeeded } from './search.js';

/** Variants in one call, and metafields that a call may name. */
const VARIANTS_PER_READ = 50;
const MOST_NAMED = 250;

interface PageEntry {
  readonly id: string;
  /** Null when it is malformed. */
  readonly updatedAt: string | null;
}

/** Reads by pages: first the ids in the order of change, then the products. */
export class PageReader {
  constructor(
    private readonly client: ShopifyClient,
    private readonly details: ProductDetails,
    private readonly limits: ShopifyLimits,
  ) {}

  /**
   * Batches of products, oldest change first, each product once. A product that changes during the walk moves behind
   * the cursor; the next run reads its change. A product that disappears is omitted.
   */
  async *products(selection: PageSelection): AsyncGenerator<readonly SourceProduct[]> {
    // Stored as numbers of eight bytes each, in case of a large store.
    const seen = new Set<number>();
    for await (const entries of this.ids(selection)) {
      const fresh = entries.filter(({ id }) => !seen.has(Number(numericId(id))));
      const unique = [...new Set(fresh.map(({ id }) => id))];
      for (const id of unique) seen.add(Number(numericId(id)));
      for (let at = 0; at < unique.length; at += this.limits.batchSize) {
        const products = await this.details.read(unique.slice(at, at + this.limits.batchSize));
        const existing = products.filter((product) => product !== null);
        if (existing.length > 0) yield existing;
      }
    }
  }

  /**
   * The number of products that match the query, of any status. Null when the store returns no exact number or
   * refuses to count. Throws `invalid` when the store ignored the query.
   */
  async count(query: string): Promise<number | null> {
    const search = productSearch(query);
    try {
      const { data, search: notes } = await this.client.run(
        PRODUCTS_COUNT,
        { query: search },
        productsCountData,
      );
      requireHeeded(notes, search);
      const count = data.productsCount;
      return count?.precision === 'EXACT' ? count.count : null;
    } catch (error) {
      if (isCoded(error, 'invalid') && error.fields === undefined) return null;
      throw error;
    }
  }

  /**
   * The values that a write-back may replace, with all metafields of the namespace; null when the product no longer
   * exists.
   */
  async live(
    id: string,
    namespace: string | null,
    parts: LiveParts = { seo: true },
  ): Promise<LiveProduct | null> {
    const product = await this.liveProduct(id, namespace, parts);
    if (product === null || parts.variants === undefined || parts.variants.size === 0) return product;
    const { variants, metafields } = await this.liveVariants(id, parts.variants);
    return { ...product, variants, metafields: [...product.metafields, ...metafields] };
  }

  /** The metafields of the variants that the product still has. */
  private async liveVariants(
    id: string,
    names: ReadonlyMap<string, readonly string[]>,
  ): Promise<{ readonly variants: string[]; readonly metafields: LiveMetafield[] }> {
    const variants: string[] = [];
    const metafields: LiveMetafield[] = [];
    const numbers = [...names.keys()];
    const keys = [...new Set([...names.values()].flat())].slice(0, MOST_NAMED);
    for (let at = 0; at < numbers.length; at += VARIANTS_PER_READ) {
      const ids = numbers.slice(at, at + VARIANTS_PER_READ).map((number) => `${VARIANT_GID}${number}`);
      const { data } = await this.client.run(LIVE_VARIANTS, { ids, keys }, liveVariantsData);
      for (const node of data.nodes) {
        if (node?.product.id !== id) continue;
        const variant = numericId(node.id);
        variants.push(variant);
        for (const { compareDigest, ...rest } of node.metafields.nodes)
          metafields.push({ ...rest, variant, digest: compareDigest });
      }
    }
    return { variants, metafields };
  }

  private async liveProduct(
    id: string,
    namespace: string | null,
    parts: LiveParts,
  ): Promise<LiveProduct | null> {
    const { seo, metafields: names = [], category = false, tags = false, images = false } = parts;
    const metafields: LiveMetafield[] = [];
    let after: string | null = null;
    for (;;) {
      // The namespace's own metafields come with it.
      const keys = after === null ? names.filter((name) => metafieldKey(name).namespace !== namespace) : [];
      const wanted = {
        withMetafields: namespace !== null,
        withSeo: seo,
        withNamed: keys.length > 0,
        withCategory: category,
        withTags: tags,
        withImages: images,
      };
      const variables = { id, ns: namespace, after, keys, ...wanted };
      const { data } = await this.client
        .run(LIVE_PRODUCT, variables, liveProductData)
        .catch((error: unknown) => {
          if (isCoded(error, 'not_found')) return { data: { product: null } };
          throw error;
        });
      const { product } = data;
      if (product === null) return null;
      for (const { compareDigest, ...rest } of [
        ...(product.metafields?.nodes ?? []),
        ...(product.named?.nodes ?? []),
      ]) {
        metafields.push({ ...rest, digest: compareDigest });
      }
      const pageInfo = product.metafields?.pageInfo;
      if (pageInfo?.hasNextPage !== true) {
        return {
          storeId: id,
          status: product.status,
          metafields,
          fields: requestedFields(product, { seo, category }),
          ...(product.tags === undefined ? {} : { tags: product.tags }),
          ...(product.media === undefined ? {} : { images: product.media.nodes.flatMap(liveImage) }),
        };
      }
      const next = requireCursor(pageInfo);
      if (next === after) throw standingCursor();
      after = next;
    }
  }

  /** Pages of ids. The walk starts again by time before it reaches the store's limit, so ids may occur twice. */
  private async *ids(selection: PageSelection): AsyncGenerator<readonly PageEntry[]> {
    const { pageSize, pagingCeiling } = this.limits;
    let { since } = selection;
    let after: string | null = null;
    let walked = 0;
    for (;;) {
      const query = productSearch(selection.query, since);
      const variables = { first: pageSize, after, query };
      const { data, search } = await this.client.run(PRODUCTS_PAGE, variables, productsPageData);
      requireHeeded(search, query);
      const { nodes, pageInfo } = data.products;
      yield nodes;
      if (!pageInfo.hasNextPage) return;
      walked += nodes.length;
      const last = nodes.at(-1);
      const reached = last?.updatedAt == null ? null : new Date(last.updatedAt);
      // If one instant alone has more products than the limit, time does not help, so the cursor continues.
      const leadsOn = reached !== null && (since === null || toSeconds(reached) > toSeconds(since));
      if (walked + pageSize > pagingCeiling && leadsOn) {
        since = reached;
        after = null;
        walked = 0;
        continue;
      }
      const next = requireCursor(pageInfo);
      if (next === after) throw standingCursor();
      after = next;
    }
  }
}

export function contentFields(product: LiveContent): Record<StoreField, string | null> {
  return {
    ...plainFields(product),
    'seo.title': product.seo?.title ?? null,
    'seo.description': product.seo?.description ?? null,
    category: product.category?.fullName ?? null,
  };
}

/** A field that was not requested is left out, because that differs from an empty one. */
function requestedFields(
  product: LiveContent,
  { seo, category }: { readonly seo: boolean; readonly category: boolean },
): LiveProduct['fields'] {
  const isRequested = (field: string): boolean =>
    field === 'category' ? category : seo || !field.startsWith('seo.');
  return Object.fromEntries(Object.entries(contentFields(product)).filter(([field]) => isRequested(field)));
}

/** An image that is still being processed cannot be changed yet. */
function liveImage({ __typename, id, alt, status }: LiveMedia): LiveImage[] {
  return __typename === 'MediaImage' && status === 'READY' ? [{ id: numericId(id), alt }] : [];
}

function plainFields({ title, descriptionHtml, vendor, productType }: LiveContent) {
  return { title, descriptionHtml, vendor, productType };
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
