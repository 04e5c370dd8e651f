import type { WriteBackSettings } from '../domain/store-settings.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { isTextType, nameInTarget } from '../domain/metafield-key.js';
import { isStoreField } from '../domain/store-port.js';
import { translationTarget } from '../domain/write-target.js';
import { intendedValues, type GeneratedProduct } from './generated-content.js';

/**
 * The catalog's content of a product in another locale, as translations to register. `primary`: the same content in the
 * workspace's own language. It is sanitised and mapped like
 * the primary text; metafields only when they are text. The service returns the text of its default locale where this
 * locale has none (docs/catalog-rules.md#general). Such a text is withheld, or the shop would show one language under
 * two names.
 */
export function intendedTranslations(
  primary: readonly IntendedValue[],
  translated: GeneratedProduct,
  locale: string,
  settings: WriteBackSettings,
): IntendedValue[] {
  const own = new Map(primary.map((value) => [value.target, value]));
  return intendedValues(translated, settings)
    .filter(isTranslated)
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

/** The store translates texts of the product itself: its fields, and its metafields that are text. */
function isTranslated({ target, type }: IntendedValue): boolean {
  if (isStoreField(target)) return target !== 'category';
  return nameInTarget(target) !== null && isTextType(type);
}

/** True when at least one value may be written. */
export function holdsContent(intended: readonly IntendedValue[]): boolean {
  return intended.some((value) => value.withheld === undefined);
}
