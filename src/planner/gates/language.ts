/** A detector's result: ISO 639-1 code to the fit of the text, relative to the best language with 1. */
export type LanguageScores = ReadonlyMap<string, number>;

/** Reads the language of a text. An empty map: the language is unclear. */
export type DetectLanguage = (text: string) => LanguageScores;

/** Shorter texts are not conclusive: lists of facts and names look alike in many languages. */
const SHORTEST_TEXT = 80;
/** Languages that are close fit nearly as well: Norwegian and Danish, Czech and Slovak. */
const CLOSE_ENOUGH = 0.9;

/** Codes that stand for one written language. */
const SAME_LANGUAGE: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he', in: 'id', tl: 'fil' };

/**
 * The language of the text when it clearly differs from the locale's; null when it matches or is unclear.
 * `confidence`: 1 less the fit of the locale's language, as a share of the fit of the one that was found.
 */
export function otherLanguage(
  text: string,
  locale: string,
  detect: DetectLanguage,
): { readonly language: string; readonly confidence: number } | null {
  if (text.length < SHORTEST_TEXT) return null;
  const scores = new Map([...detect(text)].map(([code, score]) => [canonicalLanguage(code), score]));
  const wanted = canonicalLanguage(locale.split(/[-_]/)[0] ?? '');
  const [best] = [...scores].sort(([, one], [, other]) => other - one);
  if (best === undefined || best[0] === wanted) return null;
  const fit = (scores.get(wanted) ?? 0) / best[1];
  if (fit >= CLOSE_ENOUGH) return null;
  return { language: best[0], confidence: 1 - fit };
}

function canonicalLanguage(code: string): string {
  const lower = code.toLowerCase();
  return SAME_LANGUAGE[lower] ?? lower;
}
