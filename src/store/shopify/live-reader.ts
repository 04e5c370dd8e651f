import { isCoded } from '../../domain/errors.js';
import { metafieldKey } from '../../domain/metafield-key.js';
import type { LiveImage, StoreField } from '../../domain/store-port.js';
import type { LiveMetafield, LiveParts, LiveContentParts } from './api-types.js';
import type { z } from 'zod';
import type { ShopifyClient } from './client.js';
import { LIVE_PRODUCT } from './documents.js';
import { numericId, VARIANT_GID } from './mapper.js';
import { pagesOf } from './pages.js';
import { LIVE_VARIANTS } from './part-documents.js';
import { type LiveContent, type LiveMedia, liveProductData, liveVariantsData } from './schemas.js';

/** Variants in one call, and metafields that a call may name. */
const VARIANTS_PER_READ = 50;
const MOST_NAMED = 250;

type ProductPage = NonNullable<z.output<typeof liveProductData>['product']>;

/** Reads the present values of one product. */
export class LiveReader {
  constructor(private readonly client: ShopifyClient) {}

  /**
   * The values that a write-back may replace, with all metafields of the namespace; null when the product no longer
   * exists.
   */
  async read(
    id: string,
    namespace: string | null,
    parts: LiveParts = { seo: true },
  ): Promise<LiveContentParts | null> {
    const product = await this.#product(id, namespace, parts);
    if (product === null || parts.variants === undefined || parts.variants.size === 0) return product;
    const { variants, metafields } = await this.#variants(id, parts.variants);
    return { ...product, variants, metafields: [...product.metafields, ...metafields] };
  }

  /** The metafields of the variants that the product still has. */
  async #variants(
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

  async #product(id: string, namespace: string | null, parts: LiveParts): Promise<LiveContentParts | null> {
    const metafields: LiveMetafield[] = [];
    let product: ProductPage | null = null;
    const read = (after: string | null): Promise<ProductPage | null> =>
      this.#page(id, namespace, parts, after);
    for await (const page of pagesOf(read, (each) => each?.metafields)) {
      if (page === null) return null;
      product = page;
      const found = [...(page.metafields?.nodes ?? []), ...(page.named?.nodes ?? [])];
      for (const { compareDigest, ...rest } of found) metafields.push({ ...rest, digest: compareDigest });
    }
    return product === null
      ? null
      : {
          storeId: id,
          status: product.status,
          metafields,
          fields: requestedFields(product, parts),
          ...(product.tags === undefined ? {} : { tags: product.tags }),
          ...(product.media === undefined ? {} : { images: product.media.nodes.flatMap(liveImage) }),
        };
  }

  /** The product with a page of the namespace's metafields; null when it no longer exists. */
  async #page(
    id: string,
    namespace: string | null,
    { seo, metafields: names = [], category = false, tags = false, images = false }: LiveParts,
    after: string | null,
  ): Promise<ProductPage | null> {
    // The namespace's own metafields come with it, and the named ones with the first page.
    const named = names.filter((name) => metafieldKey(name).namespace !== namespace);
    const keys = after === null ? named : [];
    const variables = {
      id,
      ns: namespace,
      after,
      keys,
      withMetafields: namespace !== null,
      withSeo: seo,
      withNamed: keys.length > 0,
      withCategory: category,
      withTags: tags,
      withImages: images,
    };
    try {
      return (await this.client.run(LIVE_PRODUCT, variables, liveProductData)).data.product;
    } catch (error) {
      if (isCoded(error, 'not_found')) return null;
      throw error;
    }
  }
}

export function contentFields(product: LiveContent): Record<StoreField, string | null> {
  return {
    title: product.title,
    descriptionHtml: product.descriptionHtml,
    vendor: product.vendor,
    productType: product.productType,
    'seo.title': product.seo?.title ?? null,
    'seo.description': product.seo?.description ?? null,
    category: product.category?.fullName ?? null,
  };
}

/** A field that was not requested is left out, because that differs from an empty one. */
function requestedFields(
  product: LiveContent,
  { seo, category = false }: LiveParts,
): LiveContentParts['fields'] {
  const isRequested = (field: string): boolean =>
    field === 'category' ? category : seo || !field.startsWith('seo.');
  return Object.fromEntries(Object.entries(contentFields(product)).filter(([field]) => isRequested(field)));
}

function liveImage({ __typename, id, alt, status, image }: LiveMedia): LiveImage[] {
  if (__typename !== 'MediaImage') return [];
  return [{ id: numericId(id), alt, address: image?.url ?? null, isReady: status === 'READY' }];
}
