import { fingerprint } from './fingerprint.js';

/**
 * What write-back has put into one field of one store product, as the store returned it (docs/decisions/0004-effective-source.md).
 * Targets are store fields (`title`) or metafields (`metafield:namespace.key`), and translations of either (`fr:title`): these
 * never are source, so that the effective source of a product does not ask for them.
 */
export interface WrittenField {
  /** Hash of the value last written, as the store returned it; null once it has been reverted. */
  readonly ours: string | null;
  /** Hashes of every earlier value of ours: a late read may still show one, and none may ever become source. */
  readonly past: readonly string[];
  /** The merchant's value that ours stands in for; null where there was none. */
  readonly replaced: string | null;
}

export type WrittenContent = Readonly<Record<string, WrittenField>>;

/** Values are compared by hash; null and the empty string are one thing. */
export function valueHash(value: string | null | undefined): string {
  return fingerprint(value === '' ? null : value);
}

export function metafieldTarget(namespace: string, key: string): string {
  return `metafield:${namespace}.${key}`;
}

/**
 * The effective source of a field: the store's value, unless it is one that we wrote: then the value that ours replaced.
 * Everything that is fingerprinted, pushed or generated from goes through here; without it generated text would come back
 * as the merchant's own, be pushed, regenerated and written again for ever.
 */
export function effectiveValue(live: string | null, written: WrittenField | undefined): string | null {
  if (written === undefined) return live;
  return isOurs(live, written) ? written.replaced : live;
}

export function isOurs(live: string | null, written: WrittenField): boolean {
  const hash = valueHash(live);
  return hash === written.ours || written.past.includes(hash);
}

/** The journal entry after `stored` (what the store returned) took the place of `effective` (the merchant's value). */
export function afterWrite(
  previous: WrittenField | undefined,
  stored: string | null,
  effective: string | null,
): WrittenField {
  const ours = valueHash(stored);
  const past = new Set(previous?.past ?? []);
  if (previous?.ours != null) past.add(previous.ours);
  past.delete(ours);
  return { ours, past: [...past], replaced: effective };
}

/** The entry after the before-image was restored: nothing of ours is there now, but a late read may still show it. */
export function afterRevert(previous: WrittenField): WrittenField {
  const past = previous.ours === null ? previous.past : [...new Set([...previous.past, previous.ours])];
  return { ours: null, past, replaced: previous.replaced };
}

/**
 * The entry after `sent` may have taken the place of `before`, and nobody knows: should it be met in the store, it is ours and
 * never source; should it not, nothing has changed.
 */
export function afterUnknownWrite(
  previous: WrittenField | undefined,
  sent: string,
  before: string | null,
): WrittenField {
  const known = previous ?? { ours: null, past: [], replaced: before };
  const hash = valueHash(sent);
  return hash === known.ours ? known : { ...known, past: [...new Set([...known.past, hash])] };
}
