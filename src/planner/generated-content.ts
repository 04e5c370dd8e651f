import { metafieldKey, metafieldName, metafieldTarget } from '../domain/metafield-key.js';
import { isWithin, VALUE_BOUNDS } from '../domain/json-bounds.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { STORE_FIELDS, type StoreField } from '../domain/store-port.js';
import { IMAGE_ALTS } from '../domain/write-target.js';
import type { WriteBackSettings } from '../domain/store-settings.js';
import type { MarkupAllowance } from './html/markup-allowance.js';
import { clippedText, isBlankHtml, sanitiseHtml, sanitisePlainText, storableText } from './html-content.js';
import { parseExternalId } from '../domain/external-id.js';
import { withoutTrailing } from '../domain/text.js';
import { attributeKey, keyedAttributes, keyNamed } from './attribute-keys.js';
import { imageAlts, tagsOf } from './generated-parts.js';

/** The part of a generation result that may reach the store. */
export interface GeneratedProduct {
  readonly name?: string | null;
  readonly description?: string | null;
  readonly html_description?: string | null;
  readonly brand?: string | null;
  readonly category?: string | null;
  readonly sections?: readonly Readonly<Record<string, unknown>>[] | null;
}

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
  const { entries, attributes, firstLeft } = takenAttributes(product.sections ?? []);
  const intake = new Intake();
  const values: IntendedValue[] = [];
  for (const [from, target] of Object.entries(settings.fields)) {
    const name = attributeOf(from);
    const given = name === null ? fieldOf(product, from) : attributes.get(keyNamed(entries, name));
    if (target === 'tags' || target === IMAGE_ALTS) {
      const partsOf = target === 'tags' ? tagsOf : imageAlts;
      values.push(...partsOf(given, from, intake.refusalOf(given)));
      continue;
    }
    const raw = textOf(given);
    if (raw === null) continue;
    const refusal = intake.refusalOfText(raw);
    const value = refusal === null ? sanitisedFor(target, raw) : '';
    if (refusal !== null) values.push({ target, value, type: null, from, raw: null, withheld: refusal });
    else if (value !== '') values.push({ target, value, type: null, from, raw });
  }
  const names = new Set(entries.map(([name]) => name));
  const place = placesOf(
    settings,
    (name) => keyNamed(entries, name),
    (code) => names.has(code),
  );
  for (const [key, raw] of attributes) {
    const to = place(key);
    if (to === null) continue;
    const withheld = intake.refusalOf(raw);
    const typed = withheld === null ? typedMetafield(raw) : null;
    if (withheld !== null) values.push({ ...to, value: '', type: null, withheld });
    else if (typed !== null) values.push({ ...to, ...typed });
  }
  const left = firstLeft === null ? null : place(firstLeft);
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
  return variants.flatMap(({ number, content }) => {
    const { entries, attributes } = takenAttributes(content.sections ?? []);
    return mapping.flatMap(([source, metafield]): IntendedValue[] => {
      const name = attributeOf(source);
      const key = name === null ? null : keyNamed(entries, name);
      const raw = key === null ? fieldOf(content, source) : attributes.get(key);
      const place = {
        target: metafieldTarget({ ...metafieldKey(metafield), variant: number }),
        from: `variants.${number}.${key === null ? source : `sections.${key}`}`,
        raw: null,
        needsDefinition: true as const,
      };
      const withheld = intake.refusalOf(raw);
      if (withheld !== null) return [{ ...place, value: '', type: null, withheld }];
      const typed = typedMetafield(raw);
      return typed === null ? [] : [{ ...place, ...typed }];
    });
  });
}

/** The variants of a catalog product that this store has, by their external_ids. */
export function variantsOf(product: {
  readonly variants?:
    readonly (GeneratedProduct & { readonly external_id?: string | null | undefined })[] | null | undefined;
}): GeneratedVariant[] {
  return (product.variants ?? []).flatMap((content) => {
    const number = parseExternalId(content.external_id ?? '')?.variantId;
    return number === undefined ? [] : [{ number, content }];
  });
}

type Place = Pick<IntendedValue, 'target' | 'from' | 'raw' | 'needsDefinition'>;

/**
 * The metafield of an attribute: the one that `attributes` names, else one of the sections' namespace, else none. An attribute that
 * `fields` takes is not among the rest that goes to that namespace.
 */
function placesOf(
  { fields, attributes, sections }: WriteBackSettings,
  keyOf: (name: string) => string,
  isName: (code: string) => boolean,
): (key: string) => Place | null {
  // Several codes may give one key. The code that is the attribute's own name comes last and wins.
  const codes = Object.entries(attributes).toSorted(([a], [b]) => Number(isName(a)) - Number(isName(b)));
  const mapped = new Map(codes.map(([code, name]) => [keyOf(code), name]));
  const taken = new Set(mapped.values());
  const inFields = new Set(
    Object.keys(fields)
      .flatMap((from) => attributeOf(from) ?? [])
      .map(keyOf),
  );
  return (key) => {
    const common = { from: `sections.${key}`, raw: null };
    const name = mapped.get(key);
    if (name !== undefined)
      return { ...common, target: metafieldTarget(metafieldKey(name)), needsDefinition: true };
    if (sections === null || inFields.has(key)) return null;
    // A metafield that another attribute is mapped to is no place for this one.
    const place = { namespace: sections.namespace, key };
    return taken.has(metafieldName(place)) ? null : { ...common, target: metafieldTarget(place) };
  };
}

/** Attributes of a result at most; real ones have some thirty. */
const MOST_ATTRIBUTES = 250;
/** A key that comes again and again is no further attribute, and still takes time. */
const MOST_LOOKED_AT = 10 * MOST_ATTRIBUTES;
/** Characters of a result's texts at most: sanitising them holds up everything else. */
const MOST_CHARACTERS = 1_000_000;
/** Of a text that may become a description, which a store holds at most. */
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

export function isStoreField(target: string): target is StoreField {
  return (STORE_FIELDS as readonly string[]).includes(target);
}

const SECTION = 'sections.';

/** The name of the attribute that a source such as `sections.NAME` reads; null for a field. */
function attributeOf(source: string): string | null {
  return source.startsWith(SECTION) ? source.slice(SECTION.length) : null;
}

function fieldOf(product: GeneratedProduct, name: string): string | null {
  switch (name) {
    case 'name':
    case 'description':
    case 'html_description':
    case 'brand':
    case 'category':
      return textOf(product[name]);
    default:
      return null;
  }
}

/**
 * A text for a store field: sanitised, and within the length that the store takes. `allowance` is what the merchant's
 * own description has already.
 */
export function sanitisedFor(target: StoreField, raw: string, allowance?: MarkupAllowance): string {
  if (target === 'descriptionHtml') return sanitisedMarkup(raw, allowance);
  const text = sanitisePlainText(raw);
  const isBounded = !target.startsWith('seo.') && target !== 'category';
  return isBounded ? clippedText(text, MAX_FIELD_LENGTH) : text;
}

function sanitisedMarkup(raw: string, allowance?: MarkupAllowance): string {
  const html = sanitiseHtml(raw, allowance);
  return isBlankHtml(html) ? '' : html;
}

/**
 * Custom attributes by key. Sections are objects with free-form keys (docs/catalog-rules.md#product). A section with
 * a name (`code`, `key`, `slug`, `name`, `title` or `label`) and a `value` is one attribute. In any other section,
 * each member is one attribute. None is dropped: see `keyedAttributes`.
 */
export function sectionAttributes(
  sections: readonly Readonly<Record<string, unknown>>[],
): ReadonlyMap<string, unknown> {
  return takenAttributes(sections).attributes;
}

/** The key of the attribute that a setting names as `sections.NAME`. */
export function sectionKey({ sections }: GeneratedProduct, name: string): string {
  return keyNamed(takenAttributes(sections ?? []).entries, name);
}

interface TakenAttributes {
  /** By name, as the sections have them. */
  readonly entries: readonly (readonly [string, unknown])[];
  /** By key, those that are taken. */
  readonly attributes: ReadonlyMap<string, unknown>;
  /** The key of the first that is not taken; null where all are. */
  readonly firstLeft: string | null;
}

function takenAttributes(sections: readonly Readonly<Record<string, unknown>>[]): TakenAttributes {
  const entries: [string, unknown][] = [];
  let next: string | null = null;
  for (const [name, value] of sections.flatMap(attributesOf)) {
    if (entries.length === MOST_LOOKED_AT) {
      next = attributeKey(name);
      break;
    }
    entries.push([name, value]);
  }
  const keyed = [...keyedAttributes(entries)];
  const taken = new Map(keyed.slice(0, MOST_ATTRIBUTES));
  return { entries, attributes: taken, firstLeft: keyed[MOST_ATTRIBUTES]?.[0] ?? next };
}

const NAMING_KEYS = ['code', 'key', 'slug', 'name', 'title', 'label'];
const VALUE_KEYS = ['value', 'values', 'content', 'text'];

function attributesOf(section: Readonly<Record<string, unknown>>): [string, unknown][] {
  const value = VALUE_KEYS.find((key) => Object.hasOwn(section, key));
  const name = NAMING_KEYS.map((key) => (Object.hasOwn(section, key) ? section[key] : undefined)).find(
    (candidate): candidate is string => typeof candidate === 'string' && candidate.trim() !== '',
  );
  if (value !== undefined && name !== undefined) return [[name, section[value]]];
  return Object.entries(section);
}

/**
 * The metafield type and text of a JSON value; null for a value that a metafield cannot hold (null, blank or too
 * large).
 */
function typedMetafield(raw: unknown): { value: string; type: string } | null {
  const typed = typedText(raw);
  if (typed === null || typed.value.trim() === '') return null;
  return Buffer.byteLength(typed.value) > MAX_METAFIELD_BYTES ? null : typed;
}

function typedText(raw: unknown): { value: string; type: string } | null {
  if (typeof raw === 'boolean') return { value: String(raw), type: 'boolean' };
  if (typeof raw === 'number') return typedNumber(raw);
  if (typeof raw === 'string') return typedString(raw);
  if (Array.isArray(raw)) return typedList(raw);
  if (typeof raw === 'object' && raw !== null && Object.keys(raw).length > 0)
    return { value: JSON.stringify(sanitisedJson(raw)), type: 'json' };
  return null;
}

/** A page may show JSON like any other text, so all strings in it are sanitised, including the names of members. */
function sanitisedJson(raw: unknown): unknown {
  if (typeof raw === 'string') return sanitisedText(raw);
  if (Array.isArray(raw)) return raw.map(sanitisedJson);
  if (typeof raw !== 'object' || raw === null) return raw;
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => [sanitisePlainText(storableText(name)), sanitisedJson(value)]),
  );
}

function typedNumber(raw: number): { value: string; type: string } | null {
  if (Number.isSafeInteger(raw)) return { value: String(raw), type: 'number_integer' };
  if (!(Math.abs(raw) < MAX_DECIMAL)) return null;
  // The store truncates decimals after nine places and does not accept exponents.
  return { value: withoutTrailing(withoutTrailing(raw.toFixed(9), '0'), '.'), type: 'number_decimal' };
}

function typedString(raw: string): { value: string; type: string } {
  const text = sanitisedText(raw);
  return /[\r\n]|<[a-z/]/i.test(text)
    ? { value: text, type: 'multi_line_text_field' }
    : { value: text, type: 'single_line_text_field' };
}

/** Sanitised markup when the text has allowed markup; otherwise the plain text. */
export function sanitisedText(raw: string): string {
  const text = storableText(raw);
  if (!text.includes('<')) return text.trim();
  const html = sanitisedMarkup(text);
  return /[<\r\n]/.test(html) ? html : sanitisePlainText(text);
}

function typedList(raw: readonly unknown[]): { value: string; type: string } | null {
  const items = raw.filter((item) => item !== null && item !== '');
  if (items.length === 0) return null;
  if (items.length > MOST_ENTRIES) return { value: JSON.stringify(sanitisedJson(items)), type: 'json' };
  if (items.every((item): item is string => typeof item === 'string')) {
    const texts = items.map((item) => sanitisePlainText(storableText(item))).filter((item) => item !== '');
    return texts.length === 0 ? null : { value: JSON.stringify(texts), type: 'list.single_line_text_field' };
  }
  if (items.every((item): item is number => Number.isSafeInteger(item))) {
    return { value: JSON.stringify(items), type: 'list.number_integer' };
  }
  return { value: JSON.stringify(sanitisedJson(items)), type: 'json' };
}

function textOf(raw: unknown): string | null {
  if (typeof raw === 'string') return storableText(raw);
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : null;
}
