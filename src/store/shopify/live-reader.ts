import { isCoded } from '../../domain/errors.js';
import {
  metafieldKey,
  type MetafieldKey,
  metafieldNamesIn,
  metafieldTarget,
  placeInTarget,
  variantMetafieldsIn,
} from '../../domain/metafield-key.js';
import {
  type LiveImage,
  type LiveProduct,
  type LiveValue,
  NO_VALUE,
  type StoreField,
} from '../../domain/store-port.js';
import { IMAGE_ALTS, imageAltTarget, imageOfTarget, isTag, tagTarget } from '../../domain/write-target.js';
import type { ShopifyClient } from './client.js';
import { LIVE_PRODUCT } from './documents.js';
import { numericId, VARIANT_GID } from './mapper.js';
import { pagesOf } from './pages.js';
import { LIVE_VARIANTS } from './part-documents.js';
import {
  type LiveContent,
  type LiveMedia,
  type LiveMetafield,
  type LiveProductNode,
  liveProductData,
  liveVariantsData,
} from './schemas.js';

/** Variants in one call, and metafields that a call may name. */
const VARIANTS_PER_READ = 50;
const MOST_NAMED = 250;
const EVERY_KEY = '*';

const GONE: LiveValue = { ...NO_VALUE, closed: { why: 'gone', reason: 'the variant no longer exists' } };

/** Reads the present values of one product, in the shop's own language. */
export class LiveReader {
  constructor(private readonly client: ShopifyClient) {}

  /** See the port's `readTargets`. */
  async read(id: string, targets: readonly string[]): Promise<LiveProduct | null> {
    const variants = variantMetafieldsIn(targets);
    const values = new Map<string, LiveValue>();
    // What does not exist is not answered.
    for (const target of targets) {
      const place = placeInTarget(target);
      if (place !== null || isTag(target)) values.set(target, place?.variant === undefined ? NO_VALUE : GONE);
    }
    // Variants first: to read them may take many calls. Their metafields have digests; the texts of the product have none.
    await this.#readVariants(id, variants, values);
    const product = await this.#product(id, targets, values);
    if (product === null) return null;
    for (const [field, value] of Object.entries(contentFields(product)))
      if (isRead(field, targets)) values.set(field, { ...NO_VALUE, value });
    for (const tag of product.tags ?? []) values.set(tagTarget(tag), { ...NO_VALUE, value: tag });
    const images = product.media?.nodes.flatMap(liveImage);
    for (const { id: image, alt } of images ?? [])
      values.set(imageAltTarget(image), { ...NO_VALUE, value: alt });
    return { storeId: id, status: product.status, values, ...(images === undefined ? {} : { images }) };
  }

  /** The metafields of the variants that the product still has. */
  async #readVariants(
    id: string,
    names: ReadonlyMap<string, readonly string[]>,
    values: Map<string, LiveValue>,
  ): Promise<void> {
    const numbers = [...names.keys()];
    const keys = [...new Set([...names.values()].flat())].slice(0, MOST_NAMED);
    for (let at = 0; at < numbers.length; at += VARIANTS_PER_READ) {
      const ids = numbers.slice(at, at + VARIANTS_PER_READ).map((number) => `${VARIANT_GID}${number}`);
      const { data } = await this.client.run(LIVE_VARIANTS, { ids, keys }, liveVariantsData);
      for (const node of data.nodes) {
        if (node?.product.id !== id) continue;
        const variant = numericId(node.id);
        for (const name of names.get(variant) ?? [])
          values.set(metafieldTarget({ ...metafieldKey(name), variant }), NO_VALUE);
        for (const field of node.metafields.nodes) setMetafield(values, field, { ...field, variant });
      }
    }
  }

  /** The product, with its metafields among the values; null when it no longer exists. */
  async #product(
    id: string,
    targets: readonly string[],
    values: Map<string, LiveValue>,
  ): Promise<LiveProductNode | null> {
    const places = metafieldNamesIn(targets).map((name) => ({ name, ...metafieldKey(name) }));
    const ns = places.find(({ key }) => key === EVERY_KEY)?.namespace ?? null;
    // The namespace's own metafields come with it, and the named ones with the first page.
    const named = places.flatMap(({ name, namespace }) => (namespace === ns ? [] : [name]));
    const read = async (after: string | null): Promise<LiveProductNode | null> => {
      const keys = after === null ? named : [];
      const variables = {
        id,
        ns,
        after,
        keys,
        withMetafields: ns !== null,
        withNamed: keys.length > 0,
        withSeo: isRead('seo.title', targets),
        withCategory: isRead('category', targets),
        withTags: targets.some(isTag),
        withImages: targets.some((target) => target === IMAGE_ALTS || imageOfTarget(target) !== null),
      };
      return (await this.client.run(LIVE_PRODUCT, variables, liveProductData)).data.product;
    };
    let product: LiveProductNode | null = null;
    try {
      for await (const page of pagesOf(read, (each) => each?.metafields)) {
        if (page === null) return null;
        product = page;
        for (const field of [...(page.metafields?.nodes ?? []), ...(page.named?.nodes ?? [])])
          setMetafield(values, field, field);
      }
    } catch (error) {
      if (isCoded(error, 'not_found')) return null;
      throw error;
    }
    return product;
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

/** Whether a read for the targets asks for the field. Those of search engines come together, and they and the category cost extra. */
function isRead(field: string, targets: readonly string[]): boolean {
  if (field === 'category') return targets.includes(field);
  return !field.startsWith('seo.') || targets.some((target) => target.startsWith('seo.'));
}

function setMetafield(values: Map<string, LiveValue>, field: LiveMetafield, place: MetafieldKey): void {
  const { value, compareDigest: token, type } = field;
  values.set(metafieldTarget(place), { value, token, type });
}

function liveImage({ __typename, id, alt, status, image }: LiveMedia): LiveImage[] {
  if (__typename !== 'MediaImage') return [];
  return [{ id: numericId(id), alt, address: image?.url ?? null, isReady: status === 'READY' }];
}
