import { fingerprint } from '../domain/fingerprint.js';
import { placeInTarget } from '../domain/metafield-key.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { placeOfTarget } from '../domain/write-target.js';

/**
 * Identifies the content of a result, so that the same content is written only once (docs/decisions/0001-rows-before-queues.md). The
 * product's own content comes first. Its variants' and its translations follow, each after a `+`: see `isSameContent`.
 */
export function contentFingerprint(intended: readonly IntendedValue[]): string {
  const meant = intended
    .filter((value) => value.withheld === undefined)
    .sort((left, right) => (left.target < right.target ? -1 : 1));
  const parts = Object.groupBy(meant, partOf);
  const further = [parts.variants, parts.translations].flatMap((values) =>
    values === undefined ? [] : hashOf(values),
  );
  return [hashOf(parts.own ?? []), ...further].join('+');
}

/**
 * True when the content of `result` is what `known` has brought. The result may lack variants or translations: one read of a product
 * shows more of it than another.
 */
export function isSameContent(result: string, known: string): boolean {
  const [own, ...parts] = result.split('+');
  const [knownOwn, ...knownParts] = known.split('+');
  return own === knownOwn && parts.every((part) => knownParts.includes(part));
}

/** The part of a content fingerprint that is about the product itself, in its primary language. */
export function ownPart(contentFingerprint: string): string {
  return contentFingerprint.split('+', 1)[0] ?? '';
}

function partOf({ target }: IntendedValue): 'own' | 'variants' | 'translations' {
  if (placeOfTarget(target).locale !== null) return 'translations';
  return placeInTarget(target)?.variant === undefined ? 'own' : 'variants';
}

function hashOf(values: readonly IntendedValue[]): string {
  return fingerprint(values.map(({ target, value, type }) => [target, type, value]));
}
