import {
  LOCALISED_TEXTS,
  type CatalogField,
  type CatalogProductBody,
  type LocalisedContent,
} from '../domain/catalog-product.js';
import { fingerprint } from '../domain/fingerprint.js';
import { translationTarget } from '../domain/write-target.js';

/** Hashes of a product as it was pushed: one for each field, and the parts below. */
type Hashes = Readonly<Partial<Record<string, string>>>;

/**
 * Whether a change of a field asks for new content. Each request costs credits and replaces a text, so that only what a text is made of
 * asks: `always`, or where the part of the field changed that a text is made of (`parts`). The other fields are pushed alone (`never`).
 * docs/operations.md has this table for people.
 */
const ASKS: Readonly<Record<CatalogField, 'always' | 'parts' | 'never'>> = {
  name: 'always',
  description: 'always',
  html_description: 'always',
  brand: 'always',
  category: 'always',
  sku: 'always',
  barcode: 'always',
  mpn: 'always',
  asin: 'always',
  open_attributes: 'always', // options and the product type are among them
  crawl_configuration: 'always', // the page that the service reads
  images: 'parts', // their addresses, without the query
  variants: 'parts', // all but their images, which the product has, too
  translations: 'parts', // texts that are there, and not texts that are gone
  url: 'never',
  metadata: 'never', // tags, handle and publish status
  product_lists: 'never',
  tags_to_update: 'never',
};

/** True when one of the changed fields asks for new content. `pushed`: the hashes of the last push. */
export function asksForContent(
  fields: readonly CatalogField[],
  body: CatalogProductBody,
  pushed: Hashes,
): boolean {
  return fields.some((field) => {
    // A text that is only sent in another language is no new one.
    if (ASKS[field] === 'always') return pushed[field] !== hashOf(body[field]);
    if (ASKS[field] === 'never') return false;
    const parts = contentParts(body)[field];
    return parts !== undefined && Object.entries(parts).some(([name, hash]) => pushed[name] !== hash);
  });
}

function hashOf(value: unknown): string | undefined {
  return value === undefined ? undefined : fingerprint(value);
}

/** The hashes of the parts, which are kept beside those of the fields. */
export function contentHashes(body: CatalogProductBody): Record<string, string> {
  return Object.assign({}, ...Object.values(contentParts(body))) as Record<string, string>;
}

function contentParts(body: CatalogProductBody): Partial<Record<CatalogField, Record<string, string>>> {
  const { images = [], variants = [], translations = {} } = body;
  const addresses = images.map(({ source_url }) => source_url.split(/[?#]/, 1)[0] ?? '');
  const bare = variants.map(({ images: _images, ...variant }) => variant);
  return {
    images:
      images.length === 0 ? {} : { 'images:addresses': fingerprint([...new Set(addresses)].toSorted()) },
    variants: variants.length === 0 ? {} : { 'variants:content': fingerprint(bare) },
    translations: Object.fromEntries(
      Object.entries(translations).flatMap(([locale, content]) => localisedHashes(locale, content)),
    ),
  };
}

function localisedHashes(locale: string, content: LocalisedContent): [string, string][] {
  return ([...LOCALISED_TEXTS, 'open_attributes'] as const).flatMap((field): [string, string][] =>
    content[field] === undefined ? [] : [[translationTarget(locale, field), fingerprint(content[field])]],
  );
}
