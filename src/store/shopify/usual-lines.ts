import type { z } from 'zod';
import type { MetafieldValue } from '../../domain/snapshot.js';
import { weightText, type mediaSchema, type productCoreSchema, type variantSchema } from './schemas.js';
import { isUsualAddress, isUsualTime } from './usual-nodes.js';

/** A line of a text, from `start` to `end`. */
export interface TextLine {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Child<Kind extends string, Value> {
  readonly kind: Kind;
  /** The number of the product that the line belongs to. */
  readonly product: string;
  /** The same as the schema of the kind returns. */
  readonly value: Value;
}

/** A line below that of a product. */
export type UsualLine =
  | Child<'variant', z.infer<typeof variantSchema>>
  | Child<'medium', z.infer<typeof mediaSchema>>
  | Child<'metafield', MetafieldValue>;

/** A pattern needs memory for each character that it reads. Longer lines are rare. */
const LONGEST = 4_096;
const OPTIONS_MOST = 3;

/** Stores write slashes with and without a backslash before them. */
const SLASH = String.raw`\\?/`;
const CHARACTERS = String.raw`[^"\\\x00-\x1f]*`;
/** Of any character but NUL and surrogates. No database holds NUL or half of a pair, and `parseText` removes them. */
const CODE = String.raw`u(?!0000|[dD][89a-fA-F])[\da-fA-F]{4}`;
const ESCAPE = String.raw`\\(?:["\\/bfnrt]|${CODE})`;
const TEXT = `"(${CHARACTERS}(?:${ESCAPE}${CHARACTERS})*)"`;
const TEXT_OR_NULL = `(?:${TEXT}|null)`;
const INTEGER = String.raw`(0|[1-9]\d{0,8})`;
const NUMBER = String.raw`((?:0|[1-9]\d{0,8})(?:\.\d{1,9})?)`;

const gid = (kind: string): string => String.raw`"gid:${SLASH}${SLASH}shopify${SLASH}${kind}${SLASH}(\d+)"`;
const member = (name: string, value: string): string => `"${name}":${value}`;
const object = (...members: readonly string[]): string => String.raw`\{${members.join(',')}\}`;
const list = (entry: string, most: number): string =>
  String.raw`\[${entry}${`(?:,${entry})?`.repeat(most - 1)}\]`;

/** The pattern of a line, from a place in a text to the end of the line. */
function lineOf(kind: string, ...members: readonly string[]): RegExp {
  const all = object(member('__typename', `"${kind}"`), member('id', gid(kind)), ...members);
  return new RegExp(String.raw`${all}(?:\n|$)`, 'y');
}

const CHOICE = object(member('name', TEXT), member('value', TEXT));
const WEIGHT = object(member('value', NUMBER), member('unit', TEXT));
const ITEM = object(member('measurement', object(member('weight', `(?:${WEIGHT}|null)`))));

const PARENT = member('__parentId', gid('Product'));

const VARIANT = lineOf(
  'ProductVariant',
  member('title', TEXT),
  member('sku', TEXT_OR_NULL),
  member('barcode', TEXT_OR_NULL),
  member('position', INTEGER),
  `${member('selectedOptions', list(CHOICE, OPTIONS_MOST))}(?:,${member('inventoryItem', ITEM)})?`,
  PARENT,
);
const IMAGE = lineOf('MediaImage', member('image', object(member('url', TEXT))), PARENT);
const METAFIELD = lineOf(
  'Metafield',
  member('namespace', TEXT),
  member('key', TEXT),
  member('type', TEXT),
  member('value', TEXT),
  PARENT,
);

/** A list of any length, which is taken as it is written. */
const texts = (each: string): string => String.raw`\[((?:${each}(?:,${each})*)?)\]`;
/** A text that is not taken by itself. */
const ANY_TEXT = TEXT.replace('(', '(?:');
const NAMED = object(member('name', ANY_TEXT));
const OPTION = object(
  member('name', TEXT),
  member('position', `(?:${INTEGER}|null)`),
  member('optionValues', texts(NAMED)),
);

const PRODUCT = lineOf(
  'Product',
  member('title', TEXT),
  member('handle', TEXT),
  member('descriptionHtml', TEXT_OR_NULL),
  member('vendor', TEXT_OR_NULL),
  member('productType', TEXT_OR_NULL),
  member('tags', texts(ANY_TEXT)),
  // Missing in an export that an earlier release started.
  `${member('status', '"(ACTIVE|DRAFT|ARCHIVED|UNLISTED)"')}(?:,${member('isGiftCard', '(true|false)')})?`,
  member('updatedAt', `"(${CHARACTERS})"`),
  member('onlineStoreUrl', TEXT_OR_NULL),
  member('category', `(${object(member('fullName', TEXT_OR_NULL))}|null)`),
  member('seo', `(${object(member('title', TEXT_OR_NULL), member('description', TEXT_OR_NULL))}|null)`),
  member('options', list(OPTION, OPTIONS_MOST)),
);

const KIND_AT = '{"__typename":"'.length;

/**
 * Reads a line that is as the store writes it for our documents: members in their order, without spaces. The pattern takes a third of the
 * time of `JSON.parse` and the checks of its value. Null: only those can say what the line is.
 */
export function usualLine({ text, start, end }: TextLine): UsualLine | null {
  if (end - start > LONGEST) return null;
  const at = start + KIND_AT;
  if (text.startsWith('ProductVariant', at)) return variantIn(found(VARIANT, text, start));
  if (text.startsWith('MediaImage', at)) return imageIn(found(IMAGE, text, start));
  if (text.startsWith('Metafield', at)) return metafieldIn(found(METAFIELD, text, start));
  return null;
}

/** The same for the line of a product itself. */
export function usualProduct({ text, start, end }: TextLine): z.infer<typeof productCoreSchema> | null {
  if (end - start > LONGEST) return null;
  const line = found(PRODUCT, text, start);
  if (line === null) return null;
  // prettier-ignore
  const [, id = '', title, handle, description, vendor, type, tags, status, isGiftCard, updatedAt = '', address,
    category, fullName, seo, seoTitle, seoDescription, ...options] = line;
  if (!isUsualTime(updatedAt)) return null;
  return {
    id: `gid://shopify/Product/${id}`,
    title: textOf(title),
    handle: textOf(handle),
    descriptionHtml: textOrNull(description),
    vendor: textOrNull(vendor),
    productType: textOrNull(type),
    tags: tagsOf(tags),
    status: status as z.infer<typeof productCoreSchema>['status'],
    isGiftCard: isGiftCard === 'true',
    updatedAt,
    onlineStoreUrl: textOrNull(address),
    category: category === 'null' ? null : { fullName: textOrNull(fullName) },
    seo: seo === 'null' ? null : { title: textOrNull(seoTitle), description: textOrNull(seoDescription) },
    options: optionsOf(options),
  };
}

/** `groups`: three for each option that the line may have. */
function optionsOf(groups: readonly string[]): z.infer<typeof productCoreSchema>['options'] {
  const options = [];
  for (let at = 0; at < groups.length; at += 3) {
    const name = groups[at];
    if (name === undefined) break;
    const position = groups[at + 1];
    options.push({
      name: textOf(name),
      position: position === undefined ? null : Number(position),
      optionValues: namesOf(groups[at + 2]),
    });
  }
  return options;
}

/** A quote within a text is escaped. So without any escape, quotes are nothing but the ends of the texts. */
function tagsOf(raw = ''): string[] {
  if (raw === '') return [];
  return raw.includes('\\') ? (JSON.parse(`[${raw}]`) as string[]) : raw.slice(1, -1).split('","');
}

const NAME_START = '{"name":"';
const NAME_END = '"}';

function namesOf(raw = ''): { name: string }[] {
  if (raw === '') return [];
  if (raw.includes('\\')) return JSON.parse(`[${raw}]`) as { name: string }[];
  const names = raw.slice(NAME_START.length, -NAME_END.length).split(`${NAME_END},${NAME_START}`);
  return names.map((name) => ({ name }));
}

function found(pattern: RegExp, text: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(text);
}

function variantIn(line: RegExpExecArray | null): UsualLine | null {
  if (line === null) return null;
  // prettier-ignore
  const [, id = '', title, sku, barcode, position, name1, value1, name2, value2, name3, value3, weight, unit, product = ''] =
    line;
  const selectedOptions = [{ name: textOf(name1), value: textOf(value1) }];
  if (name2 !== undefined) selectedOptions.push({ name: textOf(name2), value: textOf(value2) });
  if (name3 !== undefined) selectedOptions.push({ name: textOf(name3), value: textOf(value3) });
  const value = {
    id: `gid://shopify/ProductVariant/${id}`,
    title: textOf(title),
    sku: textOrNull(sku),
    barcode: textOrNull(barcode),
    position: Number(position),
    selectedOptions,
    inventoryItem: weight === undefined ? null : weightText({ value: Number(weight), unit: textOf(unit) }),
    metafield1: null,
    metafield2: null,
    media: null,
  };
  return { kind: 'variant', product, value };
}

function imageIn(line: RegExpExecArray | null): UsualLine | null {
  if (line === null) return null;
  const [, id = '', address, product = ''] = line;
  const url = textOf(address);
  if (!isUsualAddress(url)) return null;
  return { kind: 'medium', product, value: { id: `gid://shopify/MediaImage/${id}`, image: { url } } };
}

function metafieldIn(line: RegExpExecArray | null): UsualLine | null {
  if (line === null) return null;
  const [, , namespace, key, type, text, product = ''] = line;
  const value = { namespace: textOf(namespace), key: textOf(key), type: textOf(type), value: textOf(text) };
  return { kind: 'metafield', product, value };
}

/** The value of a text without its quotes. */
function textOf(raw = ''): string {
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}

/** The same, with the empty text as null. */
function textOrNull(raw = ''): string | null {
  return raw === '' ? null : textOf(raw);
}
