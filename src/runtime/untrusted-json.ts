import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../domain/exact-json.js';
import { ANSWER_BOUNDS, isTextWithin } from '../domain/json-bounds.js';
import { storableParsed } from '../domain/text.js';

/** Keys that could reach an object's prototype. They are removed from every response. */
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'] as const;
/** Most responses contain none of them, literally or escaped, and need not be walked. */
const MAY_HOLD_FORBIDDEN = /__proto__|constructor|prototype|\\u00/i;

export type ReadJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false };

/** Parses JSON from outside, with texts that a database can hold. Throws `SyntaxError`, also beyond 100 levels and a million values. */
export function parseBoundedJson(text: string): unknown {
  if (isTextWithin(text, ANSWER_BOUNDS)) return storableParsed(text, parseExactJson(text));
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
    if (MAY_HOLD_FORBIDDEN.test(text)) removeForbiddenKeys(value);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false };
    throw error;
  }
}

/** In place: a copy of a hostile object with many members takes three times as long. */
function removeForbiddenKeys(value: unknown): void {
  if (Array.isArray(value)) value.forEach(removeForbiddenKeys);
  else if (isRecord(value)) {
    for (const key of FORBIDDEN_KEYS) if (Object.hasOwn(value, key)) Reflect.deleteProperty(value, key);
    // Parsed JSON has no inherited members that are enumerable.
    for (const key in value) removeForbiddenKeys(value[key]);
  }
}

/** Type guard for responses with an undocumented shape. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Characters of an id at most: an index of the database takes no longer ones. */
const LONGEST_ID = 500;

/** An id as a string: a non-empty string of at most 500 characters, or a whole number; undefined for anything else. */
export function idOf(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_ID) return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

/** The first of the named fields with an id. */
export function firstId(
  record: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): string | undefined {
  return fields.map((field) => idOf(record[field])).find((id) => id !== undefined);
}
