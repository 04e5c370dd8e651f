import { closeSync, openSync, readSync } from 'node:fs';

export type TextFile =
  | { readonly ok: true; readonly text: string }
  /** `code` is the system's error code, such as ENOENT. */
  | { readonly ok: false; readonly code: string; readonly cause: unknown };

/**
 * The content of a file as UTF-8, or as UTF-16 with its byte-order mark, which is left out. Otherwise the reason why it cannot be read, such
 * as EFBIG above 4 MB.
 */
export function readTextFile(path: string): TextFile {
  try {
    const bytes = readBounded(path);
    // PowerShell writes files in UTF-16.
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
    return { ok: true, text: new TextDecoder(encoding).decode(bytes) };
  } catch (cause) {
    return { ok: false, code: systemCode(cause), cause };
  }
}

/** A configuration of a thousand stores has a tenth of it. A device or a pipe may never end. */
const MOST_BYTES = 4 * 1024 * 1024;

function readBounded(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.allocUnsafe(MOST_BYTES + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read)
      read = readSync(file, bytes, size, bytes.length - size, null);
    if (size > MOST_BYTES) throw Object.assign(new Error('the file has more than 4 MB'), { code: 'EFBIG' });
    return bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
}

/** The code of a system error, such as ENOENT. */
export function systemCode(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'code' in error;
  return known ? String(error.code) : 'unknown error';
}
