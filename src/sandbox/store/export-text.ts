import { isUtf8 } from 'node:buffer';
import { CodedError } from '../../domain/errors.js';

/** Files of other kinds that people pass by mistake, by their first bytes. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^PK\u0003\u0004/, 'is a ZIP archive or an Excel workbook; unpack it, or save the sheet as CSV'],
  [/^\u00D0\u00CF\u0011\u00E0/, 'is an old Excel workbook; save the sheet as CSV'],
  [/^%PDF/, 'is a PDF'],
  [/^\u001F\u008B/, 'is compressed by gzip; unpack it'],
];
const NOT_CSV: readonly (readonly [RegExp, string])[] = [
  [/^\s*[[{]/, 'is JSON'],
  [/^\s*<(!doctype|html)/i, 'is a web page'],
  [/^\s*</, 'is XML'],
];

/** What a file that is no export is refused with. */
export const EXPECTED = 'a product export of Shopify (CSV) was expected';

/**
 * The text of an export's bytes. UTF-8 and UTF-16 are recognised with or without byte order mark; what is neither is read as
 * Windows-1252, which spreadsheet programs write. Throws `invalid`, which names the file and its kind, for a file that is no CSV.
 */
export function decodeExport(bytes: Uint8Array, file: string): string {
  const start = Buffer.from(bytes.subarray(0, 8)).toString('latin1');
  const signature = SIGNATURES.find(([pattern]) => pattern.test(start));
  if (signature) throw wrongKind(file, signature[1]);
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
  const kind = NOT_CSV.find(([pattern]) => pattern.test(text.slice(0, 1_000)));
  if (kind) throw wrongKind(file, kind[1]);
  return text;
}

function wrongKind(file: string, kind: string): CodedError {
  return new CodedError('invalid', `${file}: ${kind}; ${EXPECTED}`);
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
