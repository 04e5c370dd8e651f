import { hash } from 'node:crypto';

/**
 * Canonical hash of a JSON value. Object keys are sorted, undefined members are ignored, and undefined itself counts
 * as null. The hash is 128 bits of SHA-256 in hex: enough to distinguish all contents of a product, and short enough
 * to keep a map of them per product.
 */
export function fingerprint(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex').slice(0, 32);
}

export function canonicalJson(value: unknown): string {
  return JSON.stringify(inOrder(value ?? null));
}

/**
 * The value with the keys of all objects in order; the same value where they are already. A replacer of `JSON.stringify`, which is
 * called for every member, takes half as long again.
 */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return listInOrder(value);
  // A date and the like: `JSON.stringify` asks it for its text.
  if ('toJSON' in value && typeof value.toJSON === 'function') return value;
  return objectInOrder(value as Record<string, unknown>);
}

function listInOrder(list: readonly unknown[]): readonly unknown[] {
  let ordered: unknown[] | null = null;
  for (let index = 0; index < list.length; index += 1) {
    const member = inOrder(list[index]);
    if (ordered === null && member !== list[index]) ordered = list.slice();
    if (ordered !== null) ordered[index] = member;
  }
  return ordered ?? list;
}

function objectInOrder(value: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(value);
  let isOrdered = keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') <= key);
  if (!isOrdered) keys.sort();
  // An object without a prototype is slower, and needed only where a key would set one.
  const ordered: Record<string, unknown> = keys.includes('__proto__')
    ? (Object.create(null) as Record<string, unknown>)
    : {};
  for (const key of keys) {
    const member = inOrder(value[key]);
    isOrdered &&= member === value[key];
    ordered[key] = member;
  }
  return isOrdered ? value : ordered;
}
