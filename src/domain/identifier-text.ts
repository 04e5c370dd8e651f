import { fingerprint } from './fingerprint.js';

/** A blank, or a sign that nobody sees. */
const UNSEEN = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]$/u;

/** True when a reader sees nothing of the text. */
export function isUnseen(text: string): boolean {
  for (const sign of text) if (!UNSEEN.test(sign)) return false;
  return true;
}

/** The text without blanks and invisible signs at its ends, which a service may strip. Null when nothing is left. */
export function identifierText(value: string | null | undefined): string | null {
  const signs = Array.from(value ?? '');
  const first = signs.findIndex((sign) => !UNSEEN.test(sign));
  if (first < 0) return null;
  return signs.slice(first, signs.findLastIndex((sign) => !UNSEEN.test(sign)) + 1).join('');
}

/** Longer identifiers do not fit into a database index. One such row would fail the whole statement. */
const LONGEST = 500;

/**
 * Equal for identifiers that a service may take for the same one: it may strip blanks and fold the letter case. A long one is represented
 * by its hash.
 */
export function foldedIdentifier(value: string): string {
  const folded = (identifierText(value) ?? '').toLowerCase();
  return folded.length > LONGEST ? fingerprint(folded) : folded;
}
