import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../domain/exact-json.js';
import { ANSWER_BOUNDS, isWithin, mayBeWithin } from '../domain/json-bounds.js';

/** Keys that could reach an object's prototype. They are removed from every response. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
/** Most responses contain none of them, literally or escaped, and need not be copied. */
const MAY_HOLD_FORBIDDEN = /__proto__|constructor|prototype|\\u00/i;

export type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

/** As `JSON.parse`, of a text from outside. Throws `SyntaxError`, also beyond 100 levels and a million values. */
export function parseBoundedJson(text: string): unknown {
  if (mayBeWithin(text, ANSWER_BOUNDS)) {
    const value = parseExactJson(text);
    if (isWithin(value, ANSWER_BOUNDS)) return value;
  }
  throw new SyntaxError('the JSON has too many values or levels');
}

/**
 * Parses the bytes of a response as JSON, within the bounds of `parseBoundedJson`. Refuses an empty body, and invalid UTF-8: its
 * replacement characters would end up in a shop. `__proto__`, `constructor` and `prototype` are removed at every level.
 */
export function readUntrustedJson(bytes: Uint8Array): ReadJson {
  if (!isUtf8(bytes)) return { ok: false };
  const text = new TextDecoder().decode(bytes);
  try {
    const value = parseBoundedJson(text);
    return { ok: true, value: MAY_HOLD_FORBIDDEN.test(text) ? withoutForbiddenKeys(value) : value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false };
    throw error;
  }
}

function withoutForbiddenKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutForbiddenKeys);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !FORBIDDEN_KEYS.has(key))
      .map(([key, item]) => [key, withoutForbiddenKeys(item)]),
  );
}

/** Type guard for responses with an undocumented shape. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** An id as a string: a non-empty string or a whole number; undefined for anything else. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** The first of the named fields with an id. */
export function firstId(
  record: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): string | undefined {
  return fields.map((field) => idOf(record[field])).find((id) => id !== undefined);
}
