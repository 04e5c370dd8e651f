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
  return JSON.stringify(value ?? null, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
