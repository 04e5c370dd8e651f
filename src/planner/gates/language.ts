/**
 * A detector's result: ISO 639-1 code to the fit of the text, relative to the best language with 1. It has every language that the
 * detector knows; one that does not fit at all has 0.
 */
export type LanguageScores = ReadonlyMap<string, number>;

/** Reads the language of a text. An empty map: the language is unclear. */
export type DetectLanguage = (text: string) => LanguageScores;

/** Shorter texts are not conclusive: lists of facts and names look alike in many languages. */
const SHORTEST_TEXT = 80;
/** Languages that are close fit nearly as well: Norwegian and Danish, Czech and Slovak. */
const CLOSE_ENOUGH = 0.9;
/** Of a locale that the detector does not know, a text is another language only when no second language comes near the best. */
const CLEARLY_BEST = 0.8;
/** One character of these scripts says as much as three letters. */
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Codes that stand for one written language. */
const SAME_LANGUAGE: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he', in: 'id', tl: 'fil' };

/**
 * The language of the text when it clearly differs from the locale's; null when it matches or is unclear.
 * `confidence`: 1 less the fit of the locale's language, as a share of the fit of the one that was found. Of a locale that the
 * detector does not know, the second best language counts in its place.
 */
export function otherLanguage(
  text: string,
  locale: string,
  detect: DetectLanguage,
): { readonly language: string; readonly confidence: number } | null {
  if (text.length < SHORTEST_TEXT && weightOf(text) < SHORTEST_TEXT) return null;
  const scores = new Map<string, number>();
  for (const [code, score] of detect(text)) {
    const language = canonicalLanguage(code);
    scores.set(language, Math.max(score, scores.get(language) ?? 0));
  }
  const wanted = canonicalLanguage(locale.split(/[-_]/)[0] ?? '');
  const [best, second] = [...scores].sort(([, one], [, other]) => other - one);
  if (best === undefined || best[1] === 0 || best[0] === wanted) return null;
  const own = scores.get(wanted);
  const fit = (own ?? second?.[1] ?? 0) / best[1];
  if (own === undefined ? fit > CLEARLY_BEST : fit >= CLOSE_ENOUGH) return null;
  return { language: best[0], confidence: 1 - fit };
}

function weightOf(text: string): number {
  return text.length + 2 * (text.match(DENSE_SCRIPT)?.length ?? 0);
}

function canonicalLanguage(code: string): string {
  const lower = code.toLowerCase();
  return SAME_LANGUAGE[lower] ?? lower;
}
