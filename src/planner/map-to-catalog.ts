import { metafieldName } from '../domain/metafield-key.js';
import { CodedError } from '../domain/errors.js';
import { isWithin, VALUE_BOUNDS } from '../domain/json-bounds.js';
import { storableJson } from '../domain/text.js';
import {
  CATALOG_FIELDS,
  IDENTIFIER_KINDS,
  type CatalogField,
  type CatalogProductBody,
  type Identifier,
  type JsonValue,
  type LocalisedContent,
} from '../domain/catalog-product.js';
import { parseExactJson } from '../domain/exact-json.js';
import { fingerprint } from '../domain/fingerprint.js';
import type { MetafieldValue, ProductSnapshot, VariantSnapshot } from '../domain/snapshot.js';
import { plainTextOf } from './html/plain-text.js';
import {
  brandOf,
  categoryAndType,
  metafieldAddress,
  metafieldText,
  onlyVariant,
  tagIds,
} from './product-facts.js';
import { contentHashes } from './asks-for-content.js';
import { isMissing } from './placeholders.js';
import { placedCodes, type PlacedCodes, type StoreCodes } from './variant-codes.js';
import { isMappedAttribute, type SourceRules } from './source.js';

/**
 * The catalog's request body for an effective snapshot (docs/catalog-rules.md#product). Empty values are omitted; the
 * empty string counts as null. A product with only its default variant has that variant's identifiers. Any other
 * product is a product model with variants.
 */
export function toCatalogBody(effective: ProductSnapshot, rules: SourceRules): CatalogProductBody {
  const single = onlyVariant(effective);
  const metafields = [...effective.metafields, ...(single?.metafields ?? [])];
  const { mapping } = rules;
  const variants = effective.hasOnlyDefaultVariant ? [] : effective.variants;
  const codes = placedCodes(
    codesOf({ sku: single?.sku ?? null, barcode: single?.barcode ?? null, metafields }, rules),
    variants.map((variant) => codesOf(variant, rules)),
  );
  return withoutEmpty({
    external_id: effective.externalId,
    name: isMissing(effective.title) ? '' : effective.title,
    ...descriptions(effective.descriptionHtml ?? ''),
    brand: brandOf(effective, mapping.brand, rules) ?? '',
    category: categoryAndType(effective).category ?? '',
    url: effective.url,
    ...codes.product,
    crawl_configuration: crawlConfiguration(metafields, mapping),
    product_lists: [...mapping.productLists],
    tags_to_update: tagIds(effective.tags, mapping.tags),
    images: imagesInOrder(effective.imageUrls),
    open_attributes: openAttributes(effective, rules),
    metadata: {
      store: rules.shop,
      handle: effective.handle,
      status: effective.status,
      tags: effective.tags.filter((tag) => !isMissing(tag)),
    },
    variants: variants.map((variant, index) => toVariantBody(variant, codes.variants[index])),
    translations: localisedContent(effective, rules),
    ...(rules.locale === undefined ? {} : { locale: rules.locale }),
  });
}

/**
 * The merchant's content in further languages, each mapped like the primary content. A language without a translation is left out.
 * Undefined, and not empty, where the translations could not be read or are no longer read: they are not known to be gone.
 * The service may replace the attributes of a language as a whole, so that they are complete.
 */
function localisedContent(
  effective: ProductSnapshot,
  rules: SourceRules,
): Record<string, LocalisedContent> | undefined {
  const { translations } = effective;
  if (translations == null) return undefined;
  const mapped = effective.metafields.filter((field) => isMappedAttribute(field, rules));
  const names = new Set([
    ...Object.keys(translations),
    ...mapped.flatMap((field) => Object.keys(field.translations ?? {})),
  ]);
  const locales = [...names].toSorted().flatMap((locale) => {
    const { title, descriptionHtml } = translations[locale] ?? {};
    const isTranslated = mapped.some((field) => field.translations?.[locale] !== undefined);
    const texts: LocalisedContent = {
      ...(title === undefined || isMissing(title) ? {} : { name: title }),
      ...(descriptionHtml === undefined ? {} : descriptions(descriptionHtml)),
      ...(isTranslated ? { open_attributes: openAttributes(inLocale(effective, locale), rules) } : {}),
    };
    return Object.keys(texts).length === 0 ? [] : [[locale, texts] as const];
  });
  return Object.fromEntries(locales);
}

/** The product with the values of its metafields in the language, as far as they are translated. */
function inLocale(effective: ProductSnapshot, locale: string): ProductSnapshot {
  const metafields = effective.metafields.map((field) => ({
    ...field,
    value: field.translations?.[locale] ?? field.value,
  }));
  return { ...effective, metafields };
}

function crawlConfiguration(
  metafields: readonly MetafieldValue[],
  mapping: SourceRules['mapping'],
): NonNullable<CatalogProductBody['crawl_configuration']> {
  const source_url = metafieldAddress(metafields, mapping.sourceUrl);
  const reference_string = metafieldText(metafields, mapping.referenceString);
  return {
    ...(source_url === null ? {} : { source_url }),
    ...(reference_string === null ? {} : { reference_string }),
  };
}

function codesOf(
  { sku, barcode, metafields }: Pick<VariantSnapshot, 'sku' | 'barcode' | 'metafields'>,
  { mapping }: SourceRules,
): StoreCodes {
  const [mpn, asin] = [mapping.mpn, mapping.asin].map((name) => metafieldText(metafields, name));
  return { sku, barcode, mpn, asin };
}

/** A variant has the same shape as a product. Its name is only its own part, so renaming the product does not change it. */
function toVariantBody(
  variant: VariantSnapshot,
  codes: PlacedCodes['variants'][number] | undefined,
): CatalogProductBody {
  const shared = IDENTIFIER_KINDS.map((kind) => [kind, codes?.shared[kind] ?? null] as const);
  return withoutEmpty({
    external_id: variant.externalId,
    name: variant.title,
    ...codes?.own,
    images: imagesInOrder(variant.imageUrls),
    open_attributes: record([
      ...facts([...shared, ['weight', variant.weight]]),
      ...variant.options.map((option): [string, JsonValue] => [option.name, option.value]),
    ]),
  });
}

function imagesInOrder(addresses: readonly string[]): NonNullable<CatalogProductBody['images']> {
  return addresses.map((source_url, index) => ({ source_url, order: index + 1 }));
}

/** Facts of the store that have no catalog field. */
function facts(entries: readonly (readonly [string, string | null])[]): [string, JsonValue][] {
  return entries.flatMap(([name, value]): [string, JsonValue][] => (value === null ? [] : [[name, value]]));
}

function openAttributes(effective: ProductSnapshot, rules: SourceRules): Record<string, JsonValue> {
  const options: [string, JsonValue][] = effective.hasOnlyDefaultVariant
    ? []
    : effective.options.map((option) => [option.name, [...option.values]]);
  const metafields = effective.metafields
    .filter((field) => isMappedAttribute(field, rules))
    .map((field): [string, JsonValue] => [metafieldName(field), typedValue(field)]);
  // A later entry of the same name wins: the merchant's own attributes take precedence over store facts.
  return record([
    ...facts([
      ['product_type', categoryAndType(effective).productType],
      ['weight', onlyVariant(effective)?.weight ?? null],
    ]),
    ...options,
    ...metafields,
  ]);
}

/** Keys that would reach an object's prototype cannot be attribute names. */
const RESERVED_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function record(entries: readonly (readonly [string, JsonValue])[]): Record<string, JsonValue> {
  return Object.fromEntries(entries.filter(([key]) => key !== '' && !RESERVED_KEYS.has(key)));
}

/** No shop holds a longer one; whatever says so is not taken at its word. */
const LONGEST_DESCRIPTION = 1_000_000;

/** A description as HTML and as plain text. One that says nothing is none. */
function descriptions(html: string): Required<Pick<LocalisedContent, 'description' | 'html_description'>> {
  const description = plainTextOf(boundedDescription(html));
  const saysNothing = description !== '' && isMissing(description);
  return saysNothing ? { description: '', html_description: '' } : { description, html_description: html };
}

function boundedDescription(html: string): string {
  if (html.length <= LONGEST_DESCRIPTION) return html;
  throw new CodedError(
    'invalid',
    `its description has ${String(html.length)} characters, and ${String(LONGEST_DESCRIPTION)} are allowed`,
  );
}

/** A metafield's value as JSON, by its type. A text that does not match its type stays a text. */
function typedValue(field: MetafieldValue): JsonValue {
  if (field.type === 'boolean') return field.value === 'true';
  if (field.type.startsWith('number_')) {
    const number = Number(field.value);
    return Number.isFinite(number) && String(number) === field.value ? number : field.value;
  }
  if (field.type.startsWith('list.') || field.type === 'json') {
    try {
      const value = parseExactJson(field.value) as JsonValue;
      // An escape within the value may stand for what no database holds.
      return isWithin(value, VALUE_BOUNDS) ? (storableJson(value) as JsonValue) : field.value;
    } catch {
      // The value does not match its type. The store has it, so it is passed on as text.
      return field.value;
    }
  }
  return field.value;
}

function withoutEmpty(body: CatalogProductBody): CatalogProductBody {
  const filled: FilledBody = { external_id: body.external_id };
  for (const field of CATALOG_FIELDS) if (!isEmpty(body[field])) copyField(field, body, filled);
  // Empty translations differ from unknown ones: see `changedFields`.
  if (body.translations !== undefined) copyField('translations', body, filled);
  return body.locale === undefined ? filled : { ...filled, locale: body.locale };
}

type FilledBody = { -readonly [Field in keyof CatalogProductBody]: CatalogProductBody[Field] };

function copyField<Field extends CatalogField>(
  field: Field,
  from: Pick<CatalogProductBody, Field>,
  to: Pick<FilledBody, Field>,
): void {
  to[field] = from[field];
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value !== 'object') return false;
  for (const _key in value) return false;
  return true;
}

/** The fields with a value. */
export function filledFields(body: CatalogProductBody): CatalogField[] {
  return CATALOG_FIELDS.filter((field) => !isEmpty(body[field]));
}

/**
 * The hash of each field with a value. Later runs compare with it and send only changed fields. The parts that a text is made of have
 * hashes of their own. One is a text in a further language, as `fr:name`: a write-back recognises a text that the catalog only returns.
 * The language of the texts stands beside them, as `locale`.
 */
export function fieldHashes(body: CatalogProductBody): Partial<Record<CatalogField, string>> {
  const fields = filledFields(body).map((field) => [field, fingerprint(body[field])] as const);
  const language = body.locale === undefined ? [] : [['locale', body.locale] as const];
  return { ...Object.fromEntries([...fields, ...language]), ...contentHashes(body) };
}

/** True when the texts were last pushed in another language than that of the body. */
export function isInOtherLanguage(
  { locale }: CatalogProductBody,
  pushed: Readonly<Partial<Record<string, string>>>,
): boolean {
  return pushed['locale'] !== locale;
}

/** Every identifier of the product and its variants, each with the external_id of its owner. */
export function identifiersOf(body: CatalogProductBody): Identifier[] {
  const own = IDENTIFIER_KINDS.flatMap((kind) => {
    const value = body[kind];
    return typeof value === 'string' && value !== '' ? [{ kind, value, owner: body.external_id }] : [];
  });
  return [...own, ...(body.variants ?? []).flatMap(identifiersOf)];
}

/** The body without the given identifiers, in the product and its variants. */
export function withoutIdentifiers(
  body: CatalogProductBody,
  withheld: readonly Identifier[],
): CatalogProductBody {
  if (withheld.length === 0) return body;
  const drop = new Set(withheld.map(identifierKey));
  return stripped(body, drop);
}

function stripped(body: CatalogProductBody, drop: ReadonlySet<string>): CatalogProductBody {
  const dropped = IDENTIFIER_KINDS.filter((kind) => {
    const value = body[kind];
    return typeof value === 'string' && drop.has(identifierKey({ kind, value, owner: body.external_id }));
  });
  const kept = Object.entries(body).filter(([field]) => !dropped.some((kind) => kind === field));
  const variants = body.variants?.map((variant) => stripped(variant, drop));
  return {
    external_id: body.external_id,
    ...Object.fromEntries(kept),
    ...(variants === undefined ? {} : { variants }),
  };
}

export function identifierKey({ kind, value, owner }: Identifier): string {
  return `${kind}\u0000${value}\u0000${owner}`;
}
