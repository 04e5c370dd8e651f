import type { z } from 'zod';
import type { MetafieldValue } from '../../domain/snapshot.js';
import { weightText, type mediaSchema, type variantSchema } from './schemas.js';
import { isUsualAddress } from './usual-nodes.js';

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
/** Without `\u`: only such an escape brings a character that no database holds. */
const TEXT = String.raw`"(${CHARACTERS}(?:\\["\\/bfnrt]${CHARACTERS})*)"`;
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
  const start = [member('__typename', `"${kind}"`), member('id', gid(kind))];
  const all = object(...start, ...members, member('__parentId', gid('Product')));
  return new RegExp(String.raw`${all}(?:\n|$)`, 'y');
}

const CHOICE = object(member('name', TEXT), member('value', TEXT));
const WEIGHT = object(member('value', NUMBER), member('unit', TEXT));
const ITEM = object(member('measurement', object(member('weight', `(?:${WEIGHT}|null)`))));

const VARIANT = lineOf(
  'ProductVariant',
  member('title', TEXT),
  member('sku', TEXT_OR_NULL),
  member('barcode', TEXT_OR_NULL),
  member('position', INTEGER),
  `${member('selectedOptions', list(CHOICE, OPTIONS_MOST))}(?:,${member('inventoryItem', ITEM)})?`,
);
const IMAGE = lineOf('MediaImage', member('image', object(member('url', TEXT))));
const METAFIELD = lineOf(
  'Metafield',
  member('namespace', TEXT),
  member('key', TEXT),
  member('type', TEXT),
  member('value', TEXT),
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
