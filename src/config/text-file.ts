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
    const known = typeof cause === 'object' && cause !== null && 'code' in cause;
    return { ok: false, code: known ? String(cause.code) : 'unknown error', cause };
  }
}
