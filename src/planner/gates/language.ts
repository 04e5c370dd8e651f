/**
 * A detector's result: ISO 639-1 code to the fit of the text, relative to the best language with 1. It has every language that the
 * detector knows; one that does not fit at all has 0.
 */
export type LanguageScores = ReadonlyMap<string, number>;

/** Reads the language of a text. An empty map: the language is unclear. */
export type DetectLanguage = (text: string) => LanguageScores;

/** Shorter texts are not conclusive: lists of facts and names look alike in many languages. */
const SHORTEST_TEXT = 80;
/**
 * A detector compares how often each group of letters occurs, so its scores of a long or repetitive text are all near 1.
 * Passages of this length, in which no word comes twice, keep scores comparable.
 */
const PASSAGE = 100;
/** Passages that are read at most, and the characters that they are taken from. */
const MOST_PASSAGES = 24;
const MOST_CHARACTERS = 20_000;
/** A text is partly in another language when this share of it, and two passages at least, reads so. */
const PART = 1 / 4;
/** Languages that are close fit nearly as well: Norwegian and Danish, Czech and Slovak. */
const CLOSE_ENOUGH = 0.9;
/** Where the detector does not know the locale, a text is another language only when its best language is far better than the second. */
const CLEARLY_BEST = 0.8;
/** A part has fewer passages than the text, so it must differ more clearly. */
const OF_THE_TEXT = { close: CLOSE_ENOUGH, clear: CLEARLY_BEST };
const OF_A_PART = { close: 0.8, clear: 0.6 };
/** One character of these scripts says as much as three letters. */
const DENSE_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const NOT_DENSE = /[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;
const NOT_A_WORD = /[^\p{L}\p{M}'’-]+/u;

/** Codes that stand for one written language. */
const SAME_LANGUAGE: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he', in: 'id', tl: 'fil' };

export interface OtherLanguage {
  readonly language: string;
  /** 1 less the fit of the locale's language, as a share of the fit of the one that was found. */
  readonly confidence: number;
  /** True when only a part of the text reads so. */
  readonly isPart: boolean;
}

/**
 * The language of the text, or of a fourth of it, when it clearly differs from the locale's; null when it matches or is
 * unclear. Of a locale that the detector does not know, the second best language counts in its place.
 */
export function otherLanguage(text: string, locale: string, detect: DetectLanguage): OtherLanguage | null {
  const passages = passagesOf(text).map((passage) => byLanguage(detect(passage)));
  const wanted = canonicalLanguage(locale.split(/[-_]/)[0] ?? '');
  const whole = differing(mean(passages), wanted, OF_THE_TEXT);
  if (whole !== null) return { ...whole, isPart: false };
  const length = Math.max(2, Math.ceil(passages.length * PART));
  let clearest: OtherLanguage | null = null;
  for (let from = 0; from + length <= passages.length; from += 1) {
    const part = differing(mean(passages.slice(from, from + length)), wanted, OF_A_PART);
    if (part !== null && part.confidence > (clearest?.confidence ?? 0)) clearest = { ...part, isPart: true };
  }
  return clearest;
}

function differing(
  scores: LanguageScores,
  wanted: string,
  { close, clear }: { readonly close: number; readonly clear: number },
): Omit<OtherLanguage, 'isPart'> | null {
  const [best, second] = [...scores].sort(([, one], [, other]) => other - one);
  if (best === undefined || best[1] === 0 || best[0] === wanted) return null;
  const own = scores.get(wanted);
  const fit = (own ?? second?.[1] ?? 0) / best[1];
  if (own === undefined ? fit > clear : fit >= close) return null;
  return { language: best[0], confidence: 1 - fit };
}

function byLanguage(scores: LanguageScores): LanguageScores {
  const found = new Map<string, number>();
  for (const [code, score] of scores) {
    const language = canonicalLanguage(code);
    found.set(language, Math.max(score, found.get(language) ?? 0));
  }
  return found;
}

function mean(passages: readonly LanguageScores[]): LanguageScores {
  const sums = new Map<string, number>();
  for (const scores of passages)
    for (const [language, score] of scores)
      sums.set(language, (sums.get(language) ?? 0) + score / passages.length);
  return sums;
}

/** Passages of about the same length that make up the beginning of the text; empty for a text that is too short. */
function passagesOf(text: string): string[] {
  const words = differentWords(text.slice(0, MOST_CHARACTERS));
  const length = weightOf(words.join(' '));
  if (length < SHORTEST_TEXT) return [];
  const target = length / Math.max(1, Math.round(length / PASSAGE));
  const passages: string[] = [];
  let passage = '';
  for (const word of words) {
    passage = passage === '' ? word : `${passage} ${word}`;
    if (weightOf(passage) < target - 1) continue;
    passages.push(passage);
    passage = '';
  }
  // A short rest is not conclusive by itself.
  const last = weightOf(passage) < target / 2 ? passages.pop() : undefined;
  if (passage !== '' || last !== undefined) passages.push([last ?? '', passage].join(' ').trim());
  return passages.slice(0, MOST_PASSAGES).map(inOneScript);
}

/** Each word once, without numbers and signs: they say nothing about the language. */
function differentWords(text: string): string[] {
  const words = new Map<string, string>();
  for (const word of text.split(NOT_A_WORD)) {
    const key = word.toLowerCase();
    if (word !== '' && !words.has(key)) words.set(key, word);
  }
  return [...words.values()];
}

/** Without the Latin names in a text of a dense script: they have more characters, and no detector weighs them. */
function inOneScript(passage: string): string {
  const dense = passage.match(DENSE_SCRIPT)?.length ?? 0;
  return 6 * dense > weightOf(passage) ? passage.replaceAll(NOT_DENSE, ' ') : passage;
}

/** The length of a text by what it says, so that texts in different scripts can be compared. */
export function weightOf(text: string): number {
  return text.length + 2 * (text.match(DENSE_SCRIPT)?.length ?? 0);
}

function canonicalLanguage(code: string): string {
  const lower = code.toLowerCase();
  return SAME_LANGUAGE[lower] ?? lower;
}
