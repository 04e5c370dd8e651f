import {
  isSelected,
  METAFIELD_NAME,
  metafieldName,
  metafieldTarget,
  SHORT_DESCRIPTION_PLACE,
} from '../domain/metafield-key.js';
import { parseExternalId } from '../domain/external-id.js';
import { fingerprint } from '../domain/fingerprint.js';
import {
  TRANSLATED_TEXTS,
  type MetafieldValue,
  type ProductSnapshot,
  type SourceTranslations,
  type VariantSnapshot,
} from '../domain/snapshot.js';
import type { MappingSettings, WriteBackSettings } from '../domain/store-settings.js';
import type { StoreField } from '../domain/store-port.js';
import { imageKeysText } from '../domain/image-key.js';
import { IMAGE_ALTS, tagTarget, translationTarget } from '../domain/write-target.js';
import { effectiveValue, valueHash, type WrittenContent } from '../domain/written-content.js';

/** The rules for reading a snapshot: a store's settings, resolved once per run. */
export interface SourceRules {
  readonly mapping: MappingSettings;
  /** The metafields that the mapping reads into catalog fields, as `namespace.key`. */
  readonly mappedMetafields: ReadonlySet<string>;
  /**
   * The namespace that write-back fills. It is never source, whoever wrote to it. Null when sections are not written.
   */
  readonly sectionsNamespace: string | null;
  /** The language that the texts are sent in; absent: the service's own. */
  readonly locale?: string;
  /** Shop domain, part of the metadata. */
  readonly shop: string;
  /** The shop's own name; absent where nobody asked for it. */
  readonly shopName?: string;
  /** Changes with the rules, so that every product is compared field by field once after a change of configuration. */
  readonly version: string;
}

/**
 * Increase it when the mapping or the fingerprint changes its meaning: the next run then compares every product field by field
 * once, and sends only the fields that differ.
 */
const RULES_VERSION = 4;

export function sourceRules(
  shop: string,
  mapping: MappingSettings,
  writeBack: WriteBackSettings,
  locale?: string,
): SourceRules {
  const sectionsNamespace = writeBack.sections?.namespace ?? null;
  const locales = writeBack.locales.toSorted();
  return {
    mapping,
    mappedMetafields: mappedMetafields(mapping),
    sectionsNamespace,
    ...(locale === undefined ? {} : { locale }),
    shop,
    version: fingerprint([RULES_VERSION, shop, mapping, sectionsNamespace, locales, locale]).slice(0, 8),
  };
}

/** The live values that a write-back may replace. */
export function writableFields(snapshot: ProductSnapshot): Record<StoreField, string | null> {
  return {
    title: snapshot.title,
    descriptionHtml: snapshot.descriptionHtml,
    'seo.title': snapshot.seoTitle,
    'seo.description': snapshot.seoDescription,
    vendor: snapshot.vendor,
    productType: snapshot.productType,
    category: snapshot.category,
  };
}

/**
 * The snapshot with the merchant's meaning in every field that has our content
 * (docs/decisions/0004-effective-source.md).
 */
export function effectiveSnapshot(
  snapshot: ProductSnapshot,
  written: WrittenContent | null,
): ProductSnapshot {
  if (written === null) return snapshot;
  return {
    ...snapshot,
    title: effectiveValue(snapshot.title, written['title']) ?? '',
    descriptionHtml: effectiveValue(snapshot.descriptionHtml, written['descriptionHtml']),
    seoTitle: effectiveValue(snapshot.seoTitle, written['seo.title']),
    seoDescription: effectiveValue(snapshot.seoDescription, written['seo.description']),
    vendor: effectiveValue(snapshot.vendor, written['vendor']),
    productType: effectiveValue(snapshot.productType, written['productType']),
    category: effectiveValue(snapshot.category, written['category']),
    tags: snapshot.tags.filter((tag) => effectiveValue(tag, written[tagTarget(tag)]) !== null),
    variants: snapshot.variants.map((variant) =>
      variant.metafields.length === 0
        ? variant
        : {
            ...variant,
            metafields: effectiveMetafields(variant.metafields, written, numberOf(variant)),
          },
    ),
    metafields: effectiveMetafields(snapshot.metafields, written, undefined),
    ...(snapshot.translations == null
      ? {}
      : { translations: effectiveTranslations(snapshot.translations, written) }),
  };
}

/** The merchant's own texts in further languages. A translation that we wrote is never pushed as a source. */
function effectiveTranslations(
  translations: SourceTranslations,
  written: WrittenContent,
): SourceTranslations {
  const locales = Object.entries(translations).map(([locale, texts]) => {
    const effective = TRANSLATED_TEXTS.flatMap((field) => {
      const value = effectiveValue(texts[field] ?? null, written[translationTarget(locale, field)]);
      return value === null || value === '' ? [] : [[field, value] as const];
    });
    return [locale, Object.fromEntries(effective)] as const;
  });
  return Object.fromEntries(locales);
}

/** The namespace of today's configuration is never source. One that an earlier configuration filled may be. */
function effectiveMetafields(
  metafields: readonly MetafieldValue[],
  written: WrittenContent,
  variant: string | undefined,
): MetafieldValue[] {
  return metafields.flatMap((field) => {
    const target = metafieldTarget(variant === undefined ? field : { ...field, variant });
    const value = effectiveValue(field.value, written[target]);
    if (value === null) return [];
    if (field.translations === undefined) return [{ ...field, value }];
    const translations = Object.entries(field.translations).flatMap(([locale, text]) => {
      const effective = effectiveValue(text, written[translationTarget(locale, target)]);
      return effective === null || effective === '' ? [] : [[locale, effective] as const];
    });
    return [{ ...field, value, translations: Object.fromEntries(translations) }];
  });
}

/** The variant's number in the store, as targets name it. */
function numberOf({ externalId }: Pick<VariantSnapshot, 'externalId'>): string | undefined {
  return parseExternalId(externalId)?.variantId;
}

/** Fingerprint of all parts of an effective snapshot that reach the catalog, computed without building the request body. */
export function sourceFingerprint(effective: ProductSnapshot, rules: SourceRules): string {
  const { hasOnlyDefaultVariant: isOnlyDefault, translations } = effective;
  const metafields = effective.metafields.filter((field) => isSourceMetafield(field, rules));
  return fingerprint([
    rules.version,
    effective.title,
    effective.descriptionHtml,
    effective.vendor,
    effective.category,
    effective.productType,
    effective.url,
    effective.handle,
    effective.status,
    isOnlyDefault,
    effective.tags,
    effective.imageUrls,
    effective.options.map(({ name, values }) => [name, values]),
    effective.variants.map((variant) => variantParts(variant, isOnlyDefault)),
    metafields.map(({ namespace, key, type, value }) => [namespace, key, type, value]),
    metafields
      .filter((field) => field.translations !== undefined && isMappedAttribute(field, rules))
      .map((field) => [metafieldName(field), field.translations]),
    // Three cases give three fingerprints: no translations, translations that could not be read, and translations that were not read.
    translations === undefined ? 'not read' : translations,
  ]);
}

/** The image of the only variant is not sent, because it is the product's. */
function variantParts(variant: VariantSnapshot, isOnlyDefault: boolean): unknown[] {
  const { externalId, title, sku, barcode, weight, imageUrls, metafields, options } = variant;
  const fields = metafields.map(({ namespace, key, value }) => [namespace, key, value]);
  const values = options.map(({ name, value }) => [name, value]);
  return [externalId, title, sku, barcode, weight, isOnlyDefault ? [] : imageUrls, fields, values];
}

/**
 * Hashes of the live writable values. A later write-back compares with them to detect a merchant's edit
 * (docs/decisions/0012-merchant-edits-win.md).
 */
export function seenFields(snapshot: ProductSnapshot): Record<string, string> {
  const fields = Object.entries(writableFields(snapshot)).map(
    ([field, value]) => [field, valueHash(value)] as const,
  );
  const { shortDescription } = snapshot;
  if (shortDescription !== undefined)
    fields.push([metafieldTarget(SHORT_DESCRIPTION_PLACE), valueHash(shortDescription)]);
  // The service knows the images by their order. These keys identify the image that each of its texts is for.
  return Object.fromEntries([...fields, [IMAGE_ALTS, imageKeysText(snapshot.imageUrls)] as const]);
}

function mappedMetafields(mapping: MappingSettings): ReadonlySet<string> {
  const { mpn, asin, brand, sourceUrl, referenceString } = mapping;
  return new Set([mpn, asin, brand, sourceUrl, referenceString].filter((name) => METAFIELD_NAME.test(name)));
}

export function isSourceMetafield(field: MetafieldValue, rules: SourceRules): boolean {
  return isMappedAttribute(field, rules) || rules.mappedMetafields.has(metafieldName(field));
}

export function isMappedAttribute(field: MetafieldValue, rules: SourceRules): boolean {
  if (field.namespace === rules.sectionsNamespace) return false;
  return isSelected(field, rules.mapping.openAttributes);
}
