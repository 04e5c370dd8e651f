import {
  LOCALISED_TEXTS,
  type CatalogProductBody,
  type LocalisedContent,
} from '../domain/catalog-product.js';

/** The body of a request: the fields of the service. The content in further languages is sent by requests of their own. */
export function ownFields(body: CatalogProductBody): Omit<CatalogProductBody, 'translations' | 'locale'> {
  const { translations: _translations, locale: _locale, ...own } = body;
  return own;
}

/**
 * The content to send in each of the `locales`: that of the body, and what stands for a translation that was sent before and that the
 * merchant has removed. For a text this is the empty text, for attributes those of the primary language. A locale without any is left
 * out.
 */
export function localisedChanges(
  body: CatalogProductBody,
  before: Partial<CatalogProductBody> | null,
  locales: readonly string[],
): readonly (readonly [locale: string, content: LocalisedContent])[] {
  return locales.flatMap((locale) => {
    const wanted = body.translations?.[locale] ?? {};
    const sent = before?.translations?.[locale] ?? {};
    const texts = LOCALISED_TEXTS.flatMap((field) =>
      wanted[field] === undefined && sent[field] === undefined ? [] : [[field, wanted[field] ?? ''] as const],
    );
    const attributes =
      wanted.open_attributes ?? (sent.open_attributes === undefined ? null : (body.open_attributes ?? {}));
    const content: LocalisedContent = {
      ...Object.fromEntries(texts),
      ...(attributes === null ? {} : { open_attributes: attributes }),
    };
    return Object.keys(content).length === 0 ? [] : [[locale, content] as const];
  });
}
