import { isCoded } from '../../domain/errors.js';
import { metafieldKey } from '../../domain/metafield-key.js';
import type { LiveImage, StoreField } from '../../domain/store-port.js';
import type { LiveMetafield, LiveParts, LiveContentParts } from './api-types.js';
import type { z } from 'zod';
import type { ShopifyClient } from './client.js';
import { requireCursor, standingCursor } from './details.js';
import { LIVE_PRODUCT } from './documents.js';
import { numericId, VARIANT_GID } from './mapper.js';
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
    for await (const page of this.#pages(id, namespace, parts)) {
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

  /** The product with each page of the namespace's metafields; null, as the last page, when it no longer exists. */
  async *#pages(id: string, namespace: string | null, parts: LiveParts): AsyncGenerator<ProductPage | null> {
    const { seo, metafields: names = [], category = false, tags = false, images = false } = parts;
    // The namespace's own metafields come with it.
    const named = names.filter((name) => metafieldKey(name).namespace !== namespace);
    for (let after: string | null = null; ;) {
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
      const product: ProductPage | null = await this.client
        .run(LIVE_PRODUCT, variables, liveProductData)
        .then(
          ({ data }) => data.product,
          (error: unknown) => {
            if (isCoded(error, 'not_found')) return null;
            throw error;
          },
        );
      yield product;
      const pageInfo = product?.metafields?.pageInfo;
      if (pageInfo?.hasNextPage !== true) return;
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

function plainFields({ title, descriptionHtml, vendor, productType }: LiveContent) {
  return { title, descriptionHtml, vendor, productType };
}
