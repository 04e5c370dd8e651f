import {
  metafieldKey,
  metafieldName,
  metafieldNamesIn,
  metafieldTarget,
  placeInTarget,
  variantMetafieldsIn,
} from '../../domain/metafield-key.js';
import type {
  LiveProduct,
  LiveValue,
  StoreCategory,
  StoreConstraints,
  WantedValue,
} from '../../domain/store-port.js';
import {
  IMAGE_ALTS,
  imageAltTarget,
  imageOfTarget,
  isTag,
  localesOf,
  placeOfTarget,
  tagTarget,
  translationTarget,
} from '../../domain/write-target.js';
import type { LiveContentParts, LiveParts, LiveTranslations } from './api-types.js';
import type { ShopifyParts } from './parts.js';

/** The parts that read targets, and what the store lets stand there. */
export interface TargetReadParts {
  readonly live: Pick<ShopifyParts['live'], 'read'>;
  readonly translations: Pick<ShopifyParts['translations'], 'live'>;
  readonly definitions: Pick<ShopifyParts['definitions'], 'read'>;
  readonly taxonomy: Pick<ShopifyParts['taxonomy'], 'find'>;
}

const NOTHING: LiveValue = { value: null, token: null, type: null };
const EVERY_KEY = '*';

/** See the port's `readTargets`. */
export async function readTargets(
  { live: reader, translations }: Pick<TargetReadParts, 'live' | 'translations'>,
  storeId: string,
  targets: readonly string[],
): Promise<LiveProduct | null> {
  const own = targets.filter((target) => placeOfTarget(target).locale === null);
  const live = own.length === 0 ? undefined : await reader.read(storeId, namespaceIn(own), partsOf(own));
  if (live === null) return null;
  const values = new Map<string, LiveValue>(live === undefined ? [] : ownValues(live, own));
  for (const locale of localesOf(targets)) {
    const bases = targets.map(placeOfTarget).flatMap((place) => (place.locale === locale ? place.base : []));
    const found = await translations.live(storeId, locale, bases);
    if (found === null) return null;
    for (const base of bases) values.set(translationTarget(locale, base), translatedValue(base, found));
  }
  return {
    storeId,
    status: live?.status ?? null,
    values,
    ...(live?.images === undefined ? {} : { images: live.images }),
  };
}

/** The namespace of which all metafields are asked for; null for none. */
function namespaceIn(targets: readonly string[]): string | null {
  const keys = metafieldNamesIn(targets).map(metafieldKey);
  return keys.find(({ key }) => key === EVERY_KEY)?.namespace ?? null;
}

function partsOf(targets: readonly string[]): LiveParts {
  return {
    seo: targets.some((target) => target.startsWith('seo.')),
    category: targets.includes('category'),
    tags: targets.some(isTag),
    images: targets.some((target) => target === IMAGE_ALTS || imageOfTarget(target) !== null),
    metafields: metafieldNamesIn(targets).filter((name) => metafieldKey(name).key !== EVERY_KEY),
    variants: variantMetafieldsIn(targets),
  };
}

function ownValues(live: LiveContentParts, targets: readonly string[]): [string, LiveValue][] {
  const { fields, metafields, tags = [], images = [], variants } = live;
  const text = (value: string | null): LiveValue => ({ ...NOTHING, value });
  return [
    // What was asked for and does not exist.
    ...targets
      .filter((target) => placeInTarget(target) !== null || isTag(target))
      .map((target): [string, LiveValue] => [target, absent(target, variants)]),
    ...Object.entries(fields).map(([field, value]): [string, LiveValue] => [field, text(value)]),
    ...metafields.map((field): [string, LiveValue] => [
      metafieldTarget(field),
      { value: field.value, token: field.digest, type: field.type },
    ]),
    ...tags.map((tag): [string, LiveValue] => [tagTarget(tag), text(tag)]),
    ...images.map(({ id, alt }): [string, LiveValue] => [imageAltTarget(id), text(alt)]),
  ];
}

function absent(target: string, variants: readonly string[] | undefined): LiveValue {
  const variant = placeInTarget(target)?.variant;
  if (variant === undefined || variants?.includes(variant) === true) return NOTHING;
  return { ...NOTHING, closed: { why: 'gone', reason: 'the variant no longer exists' } };
}

/** The value of a translation, by what the store says about its language. */
export function translatedValue(base: string, { problem, never, texts }: LiveTranslations): LiveValue {
  if (problem !== null) return { ...NOTHING, closed: { why: 'unreadable', reason: problem } };
  if (never.includes(base))
    return { ...NOTHING, closed: { why: 'never', reason: 'the store does not translate this field' } };
  const text = texts.get(base);
  if (text !== undefined) return { ...NOTHING, value: text.value };
  const reason = 'the store holds no text there that it could translate';
  return { ...NOTHING, closed: { why: 'no_original', reason } };
}

/** See the port's `constraints`. Sends no request without a metafield or a category. */
export async function readConstraints(
  { definitions, taxonomy }: Pick<TargetReadParts, 'definitions' | 'taxonomy'>,
  wanted: readonly WantedValue[],
): Promise<StoreConstraints> {
  const targets = wanted.map(({ target }) => target);
  const ofProduct = metafieldNamesIn(targets);
  const ofVariants = targets.map(placeInTarget).flatMap((place) => {
    return place?.variant === undefined ? [] : metafieldName(place);
  });
  const categories = new Map<string, readonly StoreCategory[]>();
  for (const { target, value } of wanted)
    if (target === 'category') categories.set(value, await taxonomy.find(value));
  return {
    freeText: false,
    definitions: {
      product: ofProduct.length === 0 ? new Map() : await definitions.read(ofProduct, 'product'),
      variant: ofVariants.length === 0 ? new Map() : await definitions.read(ofVariants, 'variant'),
    },
    categories,
  };
}
