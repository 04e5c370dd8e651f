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

/** Equal for identifiers that a service may take for the same one: it may strip blanks and fold the letter case. */
export function foldedIdentifier(value: string): string {
  return (identifierText(value) ?? '').toLowerCase();
}
