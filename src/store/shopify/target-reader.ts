import { metafieldName, metafieldNamesIn, placeInTarget } from '../../domain/metafield-key.js';
import {
  NO_VALUE,
  type LiveProduct,
  type LiveValue,
  type StoreCategory,
  type StoreConstraints,
  type WantedValue,
} from '../../domain/store-port.js';
import { localesOf, placeOfTarget, translationTarget } from '../../domain/write-target.js';
import type { LiveTranslations } from './api-types.js';
import type { ShopifyParts } from './parts.js';

/** The parts that read targets, and what the store lets stand there. */
export interface TargetReadParts {
  readonly live: Pick<ShopifyParts['live'], 'read'>;
  readonly translations: Pick<ShopifyParts['translations'], 'live'>;
  readonly definitions: Pick<ShopifyParts['definitions'], 'read'>;
  readonly taxonomy: Pick<ShopifyParts['taxonomy'], 'find'>;
}

/** See the port's `readTargets`. The product comes last, right before the decision: nothing but that read guards its texts. */
export async function readTargets(
  { live: reader, translations }: Pick<TargetReadParts, 'live' | 'translations'>,
  storeId: string,
  targets: readonly string[],
): Promise<LiveProduct | null> {
  const own = targets.filter((target) => placeOfTarget(target).locale === null);
  const translated = new Map<string, LiveValue>();
  for (const locale of localesOf(targets)) {
    const bases = targets.map(placeOfTarget).flatMap((place) => (place.locale === locale ? place.base : []));
    const found = await translations.live(storeId, locale, bases);
    if (found === null) return null;
    for (const base of bases) translated.set(translationTarget(locale, base), translatedValue(base, found));
  }
  const read = own.length > 0 ? await reader.read(storeId, own) : { storeId, status: null, values: [] };
  return read === null ? null : { ...read, values: new Map([...read.values, ...translated]) };
}

/** The value of a translation, by what the store says about its language. */
export function translatedValue(base: string, { problem, never, texts }: LiveTranslations): LiveValue {
  if (problem !== null) return { ...NO_VALUE, closed: { why: 'unreadable', reason: problem } };
  if (never.includes(base))
    return { ...NO_VALUE, closed: { why: 'never', reason: 'the store does not translate this field' } };
  const text = texts.get(base);
  if (text !== undefined) return { ...NO_VALUE, value: text.value };
  const reason = 'the store holds no text there that it could translate';
  return { ...NO_VALUE, closed: { why: 'no_original', reason } };
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
