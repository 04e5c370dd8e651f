import { fingerprint } from '../domain/fingerprint.js';
import { valueHash } from '../domain/written-content.js';
import type { WriteBackSettings } from '../domain/store-settings.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import {
  GENERATED_FIELDS,
  intendedForVariants,
  intendedValues,
  variantsOf,
  type GeneratedProduct,
} from './generated-content.js';
import { attributesOf, canonicalSource, SECTION } from './section-attributes.js';

/** Hash of each field of a catalog product that generation may fill, by field; what is empty is absent. */
export type CatalogFields = Readonly<Record<string, string>>;

/** Fields of variants at most. A product of so many is not a real one, and the hashes are kept with its row. */
const MOST_VARIANT_FIELDS = 20_000;

export function catalogFields(product: GeneratedCatalogProduct): CatalogFields {
  const ofVariants: [string, string][] = [];
  for (const { number, content } of variantsOf(product)) {
    if (ofVariants.length >= MOST_VARIANT_FIELDS) break;
    for (const [field, hash] of Object.entries(ownFields(content)))
      ofVariants.push([`variants.${number}.${field}`, hash]);
  }
  return { ...ownFields(product), ...Object.fromEntries(ofVariants) };
}

/** A result with its variants. */
export type GeneratedCatalogProduct = GeneratedProduct & Parameters<typeof variantsOf>[0];

function ownFields(product: GeneratedProduct): CatalogFields {
  const texts = GENERATED_FIELDS.flatMap((field) => {
    const value = product[field];
    return value == null || value === '' ? [] : [[field, valueHash(value)] as const];
  });
  const sections = [...attributesOf(product).byKey].map(
    ([key, value]) => [`${SECTION}${key}`, fingerprint(value)] as const,
  );
  return Object.fromEntries([...texts, ...sections]);
}

/** The response's hashes of the sent fields. The other fields may have been generated meanwhile. */
export function sentCatalogFields(product: GeneratedCatalogProduct, sent: readonly string[]): CatalogFields {
  const entries = Object.entries(catalogFields(product)).filter(([field]) => sent.includes(field));
  return Object.fromEntries(entries);
}

/**
 * True when the product holds something to write that is neither what it held `before` nor what we pushed: it was generated, or
 * edited in the catalog, since. `pushed` are hashes by catalog field.
 */
export function holdsNewContent(
  product: GeneratedCatalogProduct,
  before: CatalogFields,
  pushed: Readonly<Record<string, string>>,
  settings: WriteBackSettings,
): boolean {
  const now = catalogFields(product);
  return intendedContent(product, settings).some(({ from, raw }) => {
    const field = canonicalSource(product, from);
    return now[field] !== before[field] && (raw === null || pushed[from] !== valueHash(raw));
  });
}

/** Everything of a result that may reach the store in the workspace's own language: of the product, then of its variants. */
export function intendedContent(
  product: GeneratedCatalogProduct,
  settings: WriteBackSettings,
): IntendedValue[] {
  return [...intendedValues(product, settings), ...intendedForVariants(variantsOf(product), settings)];
}
