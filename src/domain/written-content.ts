import { fingerprint } from './fingerprint.js';

/**
 * The values that write-back has written into one field of one product, as the store returned them
 * (docs/decisions/0004-effective-source.md). A target is a store field (`title`), a metafield
 * (`metafield:namespace.key`), or a translation of either (`fr:title`).
 */
export interface WrittenField {
  /** Hash of the value last written, as the store returned it; null once it has been reverted. */
  readonly ours: string | null;
  /**
   * Hashes of the last values that we wrote before, newest last. A late read may still return one of them, and none may become source.
   */
  readonly past: readonly string[];
  /** The merchant's value that our value replaced; null when the field was empty. */
  readonly replaced: string | null;
}

/**
 * Earlier values that are kept for each field. No read is as late as this many writes, and a product whose texts are generated for years must
 * not have a row that grows with them.
 */
export const MOST_PAST = 16;

export type WrittenContent = Readonly<Record<string, WrittenField>>;

/** Values are compared by hash. The empty string counts as null. */
export function valueHash(value: string | null | undefined): string {
  return fingerprint(value === '' ? null : value);
}

/**
 * The effective source of a field: the live value, or, when the live value is one that we wrote, the merchant's value
 * that it replaced. All fingerprints, pushes and generation requests use it. Without it, generated text would return
 * as the merchant's own and be pushed and regenerated in every run.
 */
export function effectiveValue(live: string | null, written: WrittenField | undefined): string | null {
  if (written === undefined) return live;
  return isOurs(live, written) ? written.replaced : live;
}

export function isOurs(live: string | null, written: WrittenField): boolean {
  const hash = valueHash(live);
  return hash === written.ours || written.past.includes(hash);
}

/** The entry after a write: `stored`, as the store returned it, replaced `effective`, the merchant's value. */
export function afterWrite(
  previous: WrittenField | undefined,
  stored: string | null,
  effective: string | null,
): WrittenField {
  const ours = valueHash(stored);
  const past = withNewest(previous?.past ?? [], previous?.ours ?? null);
  return { ours, past: past.filter((earlier) => earlier !== ours), replaced: effective };
}

/**
 * The entry after a revert: `restored` is in the store again. It may be an earlier text of ours, which is ours then. Otherwise none of our
 * values is in the store, but a late read may still return one.
 */
export function afterRevert(previous: WrittenField, restored: string | null): WrittenField {
  const hash = valueHash(restored);
  const isEarlier = hash === previous.ours || previous.past.includes(hash);
  const past = withNewest(previous.past, previous.ours).filter((earlier) => !isEarlier || earlier !== hash);
  return { ours: isEarlier ? hash : null, past, replaced: previous.replaced };
}

/**
 * The entry after a write with an unknown outcome: `sent` may have replaced `before`. If the store has it, it counts
 * as ours and never as source. If not, nothing has changed.
 */
export function afterUnknownWrite(
  previous: WrittenField | undefined,
  sent: string,
  before: string | null,
): WrittenField {
  const known = previous ?? { ours: null, past: [], replaced: before };
  const hash = valueHash(sent);
  return hash === known.ours ? known : { ...known, past: withNewest(known.past, hash) };
}

function withNewest(past: readonly string[], newest: string | null): readonly string[] {
  if (newest === null) return past;
  return [...past.filter((earlier) => earlier !== newest), newest].slice(-MOST_PAST);
}
