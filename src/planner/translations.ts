import type { LiveTranslations } from '../domain/store-port.js';
import type { WriteBackSettings } from '../domain/store-settings.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { placeOfTarget, translationTarget } from '../domain/write-target.js';
import { intendedValues, isStoreField, type GeneratedProduct } from './generated-content.js';

/** What the store's translations hold now, by locale. */
export type LiveByLocale = ReadonlyMap<string, LiveTranslations>;

const TRANSLATED_TYPES = ['single_line_text_field', 'multi_line_text_field'];

/**
 * What the catalog says of a product in another locale, as translations to be registered: sanitised and mapped like the
 * primary text, metafields as far as they are text. The service gives the text of its default locale where it has none in
 * this one (docs/catalog-rules.md#general); such a value is withheld, or the shop would show one language under two names.
 */
export function intendedTranslations(
  primary: GeneratedProduct,
  translated: GeneratedProduct,
  locale: string,
  settings: WriteBackSettings,
): IntendedValue[] {
  const own = new Map(intendedValues(primary, settings).map((value) => [value.target, value]));
  return intendedValues(translated, settings)
    .filter((value) => isStoreField(value.target) || TRANSLATED_TYPES.includes(value.type ?? ''))
    .map((value): IntendedValue => {
      const isSame = own.get(value.target)?.value === value.value;
      const withheld = `the catalog has no text in ${locale}: it answers the one of its own language`;
      return {
        ...value,
        target: translationTarget(locale, value.target),
        ...(isSame ? { withheld } : {}),
      };
    });
}

/** True when something of it may be written at all. */
export function holdsContent(intended: readonly IntendedValue[]): boolean {
  return intended.some((value) => value.withheld === undefined);
}

/** Targets of the locale, without it: what is to be asked of the store. */
export function basesIn(locale: string, targets: readonly string[]): string[] {
  return targets.map(placeOfTarget).flatMap((place) => (place.locale === locale ? place.base : []));
}
