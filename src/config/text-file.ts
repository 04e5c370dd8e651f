import { readFileSync } from 'node:fs';

export type TextFile =
  | { readonly ok: true; readonly text: string }
  /** `code` is the system's error code, such as ENOENT. */
  | { readonly ok: false; readonly code: string; readonly cause: unknown };

/** The content of a file as UTF-8, or as UTF-16 with its byte-order mark, or the reason why it cannot be read. The mark is left out. */
export function readTextFile(path: string): TextFile {
  try {
    const bytes = readFileSync(path);
    // PowerShell writes files in UTF-16.
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
    return { ok: true, text: new TextDecoder(encoding).decode(bytes) };
  } catch (cause) {
    return { ok: false, code: systemCode(cause), cause };
  }
}

/** The code of a system error, such as ENOENT. */
export function systemCode(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'code' in error;
  return known ? String(error.code) : 'unknown error';
}
