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
  // Fast path: most values are texts, and a replacer would be called for each.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const canonical = (_key: string, member: unknown): unknown =>
    isPlainObject(member) ? sorted(member) : member;
  return JSON.stringify(value, canonical);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(value);
  if (keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') <= key)) return value;
  const result: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const key of keys.sort()) result[key] = value[key];
  return result;
}
