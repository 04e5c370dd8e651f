import { identifierText, isUnseen } from '../domain/identifier-text.js';

/*
 * Texts that stand where a value is missing. Every one comes from exports of real shops.
 */

/** Categories that stores and importers insert when none was chosen, compared in lower case without punctuation. */
const NO_CATEGORY = new Set(
  (
    'uncategorized, uncategorised, unkategorisiert, non classé, sin categoría, senza categoria, ' +
    'geen categorie, no category, default category, nicht kategorisiert, ohne kategorie, ' +
    'keine kategorie, non catégorisé, sans catégorie, sin categorizar, non categorizzato, ' +
    'niet gecategoriseerd, sem categoria, não categorizado, bez kategorii, okategoriserad, ' +
    'без категории, 未分類, 未分类'
  ).split(', '),
);

/** Texts that people and importers put into a mandatory field without a value. A platform gives a new shop the name `my store`. */
const PLACEHOLDERS = new Set(
  (
    'na, none, null, undefined, unknown, no brand, no vendor, vendor, brand, tbd, not applicable, ' +
    'not available, no name, unbranded, my store, k a, keine angabe, unbekannt, ohne marke, keine marke, ' +
    'sans marque, inconnu, sin marca, desconocido, senza marca, sconosciuto, geen merk, onbekend, ' +
    'sem marca, bez marki, без бренда, нет бренда'
  ).split(', '),
);

/** What programs write for a missing value, in any field. Compared in lower case without blanks around it. */
const MISSING_VALUES = new Set(
  'nan null none undefined nil (null) <null> <na> n/a #n/a #value! #ref! #name? #div/0! #num! #null!'.split(
    ' ',
  ),
);
const LONGEST_MISSING = 64;

/** True for a text that says nothing in any field: nobody sees it, or a program wrote it for a missing value. */
export function isMissing(text: string): boolean {
  if (text.length > LONGEST_MISSING) return isUnseen(text);
  return isUnseen(text) || MISSING_VALUES.has((identifierText(text) ?? '').toLowerCase());
}

/** True for a text that names no brand and no category either: people and importers fill mandatory fields with it. */
export function isPlaceholder(text: string): boolean {
  if (isMissing(text)) return true;
  const bare = words(text);
  return bare === '' || PLACEHOLDERS.has(bare) || PLACEHOLDERS.has(bare.replaceAll(' ', ''));
}

/** True for the leaf of a category, unless it says that none was chosen. */
export function namesCategory(text: string | null): boolean {
  const leaf = text?.split('>').at(-1) ?? '';
  return !isPlaceholder(leaf) && !NO_CATEGORY.has(words(leaf));
}

/** One spelling of each letter, lower case, with each run of characters other than letters, marks and digits as one space. */
export function words(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
}
