import { readFileSync } from 'node:fs';

export type TextFile =
  | { readonly ok: true; readonly text: string }
  /** `code` is the system's error code, such as ENOENT. */
  | { readonly ok: false; readonly code: string; readonly cause: unknown };

/** The content of a file as UTF-8, or the reason why it cannot be read. */
export function readTextFile(path: string): TextFile {
  try {
    return { ok: true, text: readFileSync(path, 'utf8') };
  } catch (cause) {
    return { ok: false, code: systemCode(cause), cause };
  }
}

/** The code of a system error, such as ENOENT. */
export function systemCode(error: unknown): string {
  const known = typeof error === 'object' && error !== null && 'code' in error;
  return known ? String(error.code) : 'unknown error';
}
