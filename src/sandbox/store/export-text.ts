import { isUtf8 } from 'node:buffer';
import { CodedError } from '../../domain/errors.js';

/** Files of other kinds that people pass by mistake, by how they begin. */
const OTHER_KINDS: readonly (readonly [RegExp, string])[] = [
  [/^PK\u0003\u0004/, 'is a ZIP archive or an Excel workbook; unpack it, or save the sheet as CSV'],
  [/^\u00D0\u00CF\u0011\u00E0/, 'is an old Excel workbook; save the sheet as CSV'],
  [/^%PDF/, 'is a PDF'],
  [/^\u001F\u008B/, 'is compressed by gzip; unpack it'],
  [/^\s*[[{]/, 'is JSON'],
  [/^\s*<(!doctype|html)/i, 'is a web page'],
  [/^\s*</, 'is XML'],
];

/** Of UTF-8, read byte by byte. */
const BYTE_ORDER_MARK = /^\u00EF\u00BB\u00BF/;

/** Columns that only one other shop system's export has. The first complete match names it. */
const OTHER_SHOPS: readonly { readonly system: string; readonly columns: readonly string[] }[] = [
  { system: 'WooCommerce', columns: ['id', 'sku', 'name', 'published', 'regular price'] },
  { system: 'Magento', columns: ['sku', 'attribute_set_code', 'product_type'] },
  { system: 'BigCommerce', columns: ['item type', 'product name', 'product code/sku'] },
  { system: 'Squarespace', columns: ['product id [non editable]', 'title'] },
  { system: 'Wix', columns: ['handleid', 'fieldtype', 'name'] },
  { system: 'Etsy', columns: ['title', 'currency_code', 'image1'] },
  { system: 'PrestaShop', columns: ['product id', 'name', 'reference'] },
  { system: 'Shopware', columns: ['id', 'product_number'] },
  { system: 'Google Merchant Center', columns: ['id', 'title', 'link', 'availability'] },
];

/**
 * The text of an export's bytes. UTF-8 and UTF-16 are recognised with or without byte order mark; what is neither is read as
 * Windows-1252, which spreadsheet programs write. Throws `invalid`, which names the file and its kind, for a file that is no CSV.
 */
export function decodeExport(bytes: Uint8Array, file: string): string {
  const start = Buffer.from(bytes.subarray(0, 1_000)).toString('latin1').replace(BYTE_ORDER_MARK, '');
  const kind = OTHER_KINDS.find(([pattern]) => pattern.test(start))?.[1];
  if (kind !== undefined)
    throw new CodedError('invalid', `${file}: ${kind}; a product export of Shopify (CSV) was expected`);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

/** The shop system whose export has this header; null for Shopify's own and for unknown ones. */
export function otherShopOf(header: readonly string[]): string | null {
  const present = new Set(header.map((column) => column.trim().toLowerCase()));
  return OTHER_SHOPS.find(({ columns }) => columns.every((column) => present.has(column)))?.system ?? null;
}

function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // The header is Latin, so one of its two bytes is zero in UTF-16 without a mark.
  if (first !== undefined && first !== 0 && second === 0) return 'utf-16le';
  if (first === 0 && second !== undefined && second !== 0) return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}
