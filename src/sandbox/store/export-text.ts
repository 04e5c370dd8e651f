import { isUtf8 } from 'node:buffer';
import { CodedError } from '../../domain/errors.js';

/** The first bytes of a ZIP archive, which a new workbook is, and of an old workbook. */
const WORKBOOK = /^(PK\u0003\u0004|\u00D0\u00CF\u0011\u00E0)/;

/**
 * The text of an export's bytes. UTF-8 and UTF-16 are recognised with or without byte order mark; what is neither is read as
 * Windows-1252, which spreadsheet programs write. Throws `invalid` for a workbook.
 */
export function decodeExport(bytes: Uint8Array, file: string): string {
  if (WORKBOOK.test(Buffer.from(bytes.subarray(0, 4)).toString('latin1')))
    throw new CodedError('invalid', `${file}: is an Excel workbook or a ZIP archive; save its sheet as CSV`);
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
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
