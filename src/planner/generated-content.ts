import {
  isTextType,
  metafieldKey,
  metafieldName,
  metafieldTarget,
  SHORT_DESCRIPTION_PLACE,
} from '../domain/metafield-key.js';
import { isWithin, VALUE_BOUNDS } from '../domain/json-bounds.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import type { StoreField } from '../domain/store-port.js';
import { IMAGE_ALTS, SHORT_DESCRIPTION } from '../domain/write-target.js';
import type { WriteBackSettings } from '../domain/store-settings.js';
import type { MarkupAllowance } from './html/markup-allowance.js';
import { clippedText, sanitisePlainText } from './html-content.js';
import { isBlankHtml, plainTextOf } from './html/plain-text.js';
import { NO_PICTURES } from './html/markup-allowance.js';
import { sanitiseHtml } from './html/sanitise.js';
import { storableText } from '../domain/text.js';
import type { DroppedAddress } from './html/address.js';
import { parseExternalId } from '../domain/external-id.js';
import { isUnseen } from '../domain/identifier-text.js';
import { withoutTrailing } from '../domain/text.js';
import { imageAlts, tagsOf } from './generated-parts.js';
import { isMissing, isPlaceholder, namesCategory } from './placeholders.js';
import {
  attributeIn,
  attributesOf,
  MOST_ATTRIBUTES,
  SECTION,
  type SectionAttributes,
} from './section-attributes.js';

/** The fields of a catalog product that generation fills, besides the sections. */
export const GENERATED_FIELDS = ['name', 'description', 'html_description', 'brand', 'category'] as const;

/** The part of a generation result that may reach the store. */
export type GeneratedProduct = Readonly<Partial<Record<(typeof GENERATED_FIELDS)[number], string | null>>> & {
  readonly sections?: readonly Readonly<Record<string, unknown>>[] | null;
};

/** The store's limit of a title, vendor or product type. */
const MAX_FIELD_LENGTH = 255;
/** The store's limit of one metafield value, in bytes. */
const MAX_METAFIELD_BYTES = 65_536;
/** The store's limit of a list's entries. */
const MOST_ENTRIES = 128;
/** The store's decimals have at most thirteen digits before the point. */
const MAX_DECIMAL = 1e13;

/**
 * Generated content as store values: sanitised, mapped by the store's settings, without empty values. An empty value
 * is never written, because a result without a text says nothing about that text.
 */
export function intendedValues(product: GeneratedProduct, settings: WriteBackSettings): IntendedValue[] {
  const attributes = attributesOf(product);
  const intake = new Intake();
  const values: IntendedValue[] = [];
  for (const [from, target] of Object.entries(settings.fields)) {
    const name = attributeIn(from);
    const given = name === null ? fieldOf(product, from) : attributes.byKey.get(attributes.keyOf(name));
    if (target === 'tags' || target === IMAGE_ALTS) {
      const partsOf = target === 'tags' ? tagsOf : imageAlts;
      values.push(...partsOf(given, from, intake.refusalOf(given)));
      continue;
    }
    const raw = textOf(given);
    if (raw === null) continue;
    if (target === SHORT_DESCRIPTION) {
      values.push(
        ...metafieldValue(raw, { target: metafieldTarget(SHORT_DESCRIPTION_PLACE), from, raw }, intake),
      );
      continue;
    }
    const dropped: DroppedAddress[] = [];
    const refusal = intake.refusalOfText(raw);
    const value = refusal === null ? sanitisedFor(target, raw, undefined, dropped) : '';
    const withheld = refusal ?? nothingLeft(value, dropped);
    if (withheld !== null) values.push({ target, value: '', type: null, from, raw: null, withheld });
    else if (saysSomething(value, from))
      values.push({ target, value, type: null, from, raw, ...droppedPart(dropped) });
  }
  const place = placesOf(settings, attributes);
  for (const [key, raw] of attributes.byKey) {
    const to = place(key);
    if (to === null) continue;
    values.push(...metafieldValue(raw, to, intake));
  }
  const left = attributes.firstLeft === null ? null : place(attributes.firstLeft);
  if (left !== null) {
    const withheld = `the result has more attributes than the ${String(MOST_ATTRIBUTES)} that are taken`;
    values.push({ ...left, value: '', type: null, withheld });
  }
  return values;
}

/** One variant of a generation result, by its number in the store. */
export interface GeneratedVariant {
  readonly number: string;
  readonly content: GeneratedProduct;
}

/**
 * Generated content of variants as metafields of the variants, by `writeBack.variants`. A variant's content never goes
 * to the product. Each value comes from `variants.NUMBER.FIELD`.
 */
export function intendedForVariants(
  variants: readonly GeneratedVariant[],
  settings: Pick<WriteBackSettings, 'variants'>,
): IntendedValue[] {
  const mapping = Object.entries(settings.variants);
  if (mapping.length === 0) return [];
  const intake = new Intake();
  const values: IntendedValue[] = [];
  for (const { number, content } of variants) {
    const given = attributesOf(content);
    for (const [source, metafield] of mapping) {
      const name = attributeIn(source);
      const key = name === null ? null : given.keyOf(name);
      const raw = key === null ? fieldOf(content, source) : given.byKey.get(key);
      const place = {
        target: metafieldTarget({ ...metafieldKey(metafield), variant: number }),
        from: `variants.${number}.${key === null ? source : `${SECTION}${key}`}`,
        raw: null,
        needsDefinition: true as const,
      };
      const found = metafieldValue(raw, place, intake);
      if (found.length > 0 && values.length === MOST_VARIANT_VALUES) {
        const withheld = `the result has more than the ${String(MOST_VARIANT_VALUES)} values of variants that are taken`;
        return [...values, { ...place, value: '', type: null, withheld }];
      }
      values.push(...found);
    }
  }
  return values;
}

/** Values of variants in one result at most. */
const MOST_VARIANT_VALUES = 10_000;
/** The store's limit of a product's variants. */
const MOST_VARIANTS = 2048;

/** The variants of a catalog product that this store has, by their external_ids; as many as a store's product has at most. */
export function variantsOf(product: {
  readonly variants?:
    readonly (GeneratedProduct & { readonly external_id?: string | null | undefined })[] | null | undefined;
}): GeneratedVariant[] {
  return (product.variants ?? []).slice(0, MOST_VARIANTS).flatMap((content) => {
    const number = parseExternalId(content.external_id ?? '')?.variantId;
    return number === undefined ? [] : [{ number, content }];
  });
}

/**
 * False for a text that is empty, that nobody sees, or that stands where a value is missing. The texts of a store are judged by the
 * same list.
 */
function saysSomething(value: string, from?: string): boolean {
  // Sanitising has judged what a reader sees of it, and no text for a missing value is that long.
  if (value.length > LONGEST_PLACEHOLDER) return true;
  const text = plainTextOf(value);
  if (text === '') return value !== '' && !isBlankHtml(value);
  if (from === 'brand') return !isPlaceholder(text);
  return from === 'category' ? namesCategory(text) : !isMissing(text);
}

const LONGEST_PLACEHOLDER = 1000;

type Place = Pick<IntendedValue, 'target' | 'from' | 'raw' | 'needsDefinition'>;

/** The value of a metafield, or the reason why it has none; empty where there is nothing to write. */
function metafieldValue(raw: unknown, place: Place, intake: Intake): IntendedValue[] {
  const dropped: DroppedAddress[] = [];
  const refusal = intake.refusalOf(raw);
  const typed = refusal === null ? typedMetafield(raw, dropped) : null;
  const withheld = refusal ?? nothingLeft(typed?.value ?? '', dropped);
  if (withheld !== null) return [{ ...place, value: '', type: null, withheld }];
  return typed === null ? [] : [{ ...place, ...typed, ...droppedPart(dropped) }];
}

/** The reason why a text that consisted of addresses is not written; null for any other. */
function nothingLeft(value: string, dropped: readonly DroppedAddress[]): string | null {
  return value === '' && dropped.length > 0
    ? `nothing is left of it: ${droppedLines(dropped).join(', ')}`
    : null;
}

const USES = { link: 'link', picture: 'picture', embed: 'frame' } as const;

/** For people, each address once. */
export function droppedLines(dropped: readonly DroppedAddress[]): string[] {
  const lines = dropped.map(
    ({ use, address, reason }) => `${USES[use]} ${storableText(address)} (${reason})`,
  );
  return [...new Set(lines)];
}

export function droppedPart(dropped: readonly DroppedAddress[]): Pick<IntendedValue, 'dropped'> {
  return dropped.length === 0 ? {} : { dropped: droppedLines(dropped) };
}

/**
 * The metafield of an attribute: the one that `attributes` names, else one of the sections' namespace, else none. An attribute that
 * `fields` takes is not among the rest that goes to that namespace.
 */
function placesOf(
  { fields, attributes, sections }: WriteBackSettings,
  { keyOf, hasName }: SectionAttributes,
): (key: string) => Place | null {
  // Several codes may give one key. The code that is the attribute's own name comes last and wins.
  const codes = Object.entries(attributes).toSorted(([a], [b]) => Number(hasName(a)) - Number(hasName(b)));
  const mapped = new Map(codes.map(([code, name]) => [keyOf(code), name]));
  const taken = new Set(mapped.values());
  const inFields = new Set(
    Object.keys(fields)
      .flatMap((from) => attributeIn(from) ?? [])
      .map(keyOf),
  );
  return (key) => {
    const common = { from: `${SECTION}${key}`, raw: null };
    const name = mapped.get(key);
    if (name !== undefined)
      return { ...common, target: metafieldTarget(metafieldKey(name)), needsDefinition: true };
    if (sections === null || inFields.has(key)) return null;
    // A metafield that another attribute is mapped to is no place for this one.
    const place = { namespace: sections.namespace, key };
    return taken.has(metafieldName(place)) ? null : { ...common, target: metafieldTarget(place) };
  };
}

/** Characters of a result's texts at most: sanitising them holds up everything else. */
const MOST_CHARACTERS = 1_000_000;
/** The most characters of a text that may become a description: stores hold no longer ones. */
const LONGEST_TEXT = 512 * 1024;

/** Bounds what one result may have us read. */
class Intake {
  private left = MOST_CHARACTERS;

  /** Why the text is left out; null when it is taken. */
  refusalOfText(text: string): string | null {
    if (text.length > LONGEST_TEXT)
      return `it has ${String(text.length)} characters, and ${String(LONGEST_TEXT)} are allowed`;
    if (text.length > this.left)
      return `the result has more than the ${String(MOST_CHARACTERS)} characters that are taken`;
    this.left -= text.length;
    return null;
  }

  refusalOf(value: unknown): string | null {
    if (!isWithin(value, VALUE_BOUNDS)) return 'it is nested too deep, or has too many parts';
    if (value === undefined) return null;
    return this.refusalOfText(typeof value === 'string' ? value : JSON.stringify(value));
  }
}

function fieldOf(product: GeneratedProduct, name: string): string | null {
  const field = GENERATED_FIELDS.find((each) => each === name);
  return field === undefined ? null : textOf(product[field]);
}

/**
 * A text for a store field: sanitised, and within the length that the store takes. `allowance` is what the merchant's
 * own description has already. `dropped` receives the addresses that are left out.
 */
export function sanitisedFor(
  target: StoreField,
  raw: string,
  allowance?: MarkupAllowance,
  dropped?: DroppedAddress[],
): string {
  if (target === 'descriptionHtml') return sanitisedMarkup(raw, allowance, dropped);
  const text = sanitisePlainText(raw);
  const isBounded = !target.startsWith('seo.') && target !== 'category';
  return isBounded ? clippedText(text, MAX_FIELD_LENGTH) : text;
}

function sanitisedMarkup(raw: string, allowance?: MarkupAllowance, dropped?: DroppedAddress[]): string {
  const html = sanitiseHtml(raw, allowance, dropped);
  return isBlankHtml(html) ? '' : html;
}

/**
 * The metafield type and text of a JSON value; null for a value that a metafield cannot hold (null, blank or too
 * large).
 */
function typedMetafield(raw: unknown, dropped: DroppedAddress[]): TypedText | null {
  const typed = typedText(raw, dropped);
  if (typed === null || (isTextType(typed.type) && !saysSomething(typed.value))) return null;
  return Buffer.byteLength(typed.value) > MAX_METAFIELD_BYTES ? null : typed;
}

interface TypedText {
  readonly value: string;
  readonly type: string;
}

function typedText(raw: unknown, dropped: DroppedAddress[]): TypedText | null {
  if (typeof raw === 'boolean') return { value: String(raw), type: 'boolean' };
  if (typeof raw === 'number') return typedNumber(raw);
  if (typeof raw === 'string') return typedString(raw, dropped);
  if (Array.isArray(raw)) return typedList(raw, dropped);
  if (typeof raw === 'object' && raw !== null && Object.keys(raw).length > 0) return typedJson(raw, dropped);
  return null;
}

/** A page may show JSON like any other text, so all strings in it are sanitised, including the names of members. */
function typedJson(raw: unknown, dropped: DroppedAddress[]): TypedText {
  const sanitised = (value: unknown): unknown => {
    if (typeof value === 'string') return sanitisedText(value, NO_PICTURES, dropped);
    if (Array.isArray(value)) return value.map(sanitised);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        sanitisePlainText(storableText(name)),
        sanitised(member),
      ]),
    );
  };
  return { value: JSON.stringify(sanitised(raw)), type: 'json' };
}

function typedNumber(raw: number): TypedText | null {
  if (Number.isSafeInteger(raw)) return { value: String(raw), type: 'number_integer' };
  if (!(Math.abs(raw) < MAX_DECIMAL)) return null;
  // The store truncates decimals after nine places and does not accept exponents.
  return { value: withoutTrailing(withoutTrailing(raw.toFixed(9), '0'), '.'), type: 'number_decimal' };
}

function typedString(raw: string, dropped: DroppedAddress[]): TypedText {
  const text = sanitisedText(raw, undefined, dropped);
  return /[\r\n]|<[a-z/]/i.test(text)
    ? { value: text, type: 'multi_line_text_field' }
    : { value: text, type: 'single_line_text_field' };
}

/** Sanitised markup when the text has allowed markup; otherwise the plain text. */
export function sanitisedText(raw: string, allowance?: MarkupAllowance, dropped?: DroppedAddress[]): string {
  const text = storableText(raw);
  if (!text.includes('<')) return isUnseen(text) ? '' : text.trim();
  const html = sanitisedMarkup(text, allowance, dropped);
  return /[<\r\n]/.test(html) ? html : sanitisePlainText(text);
}

function typedList(raw: readonly unknown[], dropped: DroppedAddress[]): TypedText | null {
  const items = raw.filter((item) => item !== null && item !== '');
  if (items.length === 0) return null;
  if (items.length > MOST_ENTRIES) return typedJson(items, dropped);
  if (items.every((item): item is string => typeof item === 'string')) {
    const texts = items
      .map((item) => sanitisePlainText(storableText(item)))
      .filter((item) => saysSomething(item));
    return texts.length === 0 ? null : { value: JSON.stringify(texts), type: 'list.single_line_text_field' };
  }
  if (items.every((item): item is number => Number.isSafeInteger(item))) {
    return { value: JSON.stringify(items), type: 'list.number_integer' };
  }
  return typedJson(items, dropped);
}

function textOf(raw: unknown): string | null {
  if (typeof raw === 'string') return storableText(raw);
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : null;
}
