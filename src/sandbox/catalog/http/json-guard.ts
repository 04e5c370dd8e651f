import { FieldValidationError } from './errors.js';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_DEPTH = 64;

/**
 * Refuses valid JSON that this service cannot store, with the dotted path of the field. That includes keys of an
 * object's prototype, text that PostgreSQL cannot hold (NUL, lone surrogates), and extreme nesting.
 */
export function refuseUnstorable(body: unknown): void {
  // A Map, because a field may be called `__proto__` here.
  const fields = new Map<string, string[]>();
  const add = (path: readonly string[], message: string): void => {
    const field = path.length === 0 ? 'non_field_errors' : path.join('.');
    fields.set(field, [...(fields.get(field) ?? []), message]);
  };
  const visit = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'string') {
      if (!isStorable(value)) add(path, 'This text holds characters that cannot be stored.');
    } else if (typeof value === 'object' && value !== null) {
      if (path.length >= MAX_DEPTH) {
        add(path, `Nested more than ${MAX_DEPTH} levels deep.`);
        return;
      }
      // Object.entries sees an own key `__proto__`, which JSON.parse makes and assignment would not.
      for (const [key, child] of Object.entries(value)) {
        if (FORBIDDEN_KEYS.has(key)) {
          add([...path, key], 'This key is not allowed.');
        } else if (!isStorable(key)) {
          add(path, 'A key holds characters that cannot be stored.');
        } else {
          visit(child, [...path, key]);
        }
      }
    }
  };
  visit(body, []);
  if (fields.size > 0) throw new FieldValidationError(Object.fromEntries(fields));
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
