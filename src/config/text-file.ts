import { readFileSync } from 'node:fs';

export type TextFile =
  | { readonly ok: true; readonly text: string }
  /** `code` is the system's name for the fault, such as ENOENT. */
  | { readonly ok: false; readonly code: string; readonly cause: unknown };

/** A file's content as UTF-8, or why it cannot be read. */
export function readTextFile(path: string): TextFile {
  try {
    return { ok: true, text: readFileSync(path, 'utf8') };
  } catch (cause) {
    const known = typeof cause === 'object' && cause !== null && 'code' in cause;
    return { ok: false, code: known ? String(cause.code) : 'unknown error', cause };
  }
}
