import { LOCALISED_TEXTS, type CatalogProductBody, type LocalisedTexts } from '../domain/catalog-product.js';

/** The body of a request: texts in further languages are sent by requests of their own. */
export function withoutTranslations(body: CatalogProductBody): Omit<CatalogProductBody, 'translations'> {
  const { translations: _translations, ...own } = body;
  return own;
}

/**
 * The texts to send in each of the `locales`: those of the body, and an empty text for one that was sent before and that the merchant
 * has removed. A locale without either is left out.
 */
export function localisedChanges(
  body: CatalogProductBody,
  before: Partial<CatalogProductBody> | null,
  locales: readonly string[],
): readonly (readonly [locale: string, texts: LocalisedTexts])[] {
  return locales.flatMap((locale) => {
    const wanted = body.translations?.[locale] ?? {};
    const sent = before?.translations?.[locale] ?? {};
    const texts = LOCALISED_TEXTS.flatMap((field) =>
      wanted[field] === undefined && sent[field] === undefined ? [] : [[field, wanted[field] ?? ''] as const],
    );
    return texts.length === 0 ? [] : [[locale, Object.fromEntries(texts)] as const];
  });
}
