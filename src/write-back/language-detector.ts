import type { DetectLanguage } from '../planner/gates/language.js';

/** Languages that ISO 639-1 names by their group alone, and that `Intl` does not name so. */
const LANGUAGE_OF_GROUP: Readonly<Record<string, string>> = {
  ckb: 'ku',
  fuv: 'ff',
  prs: 'fa',
  quy: 'qu',
  zlm: 'ms',
};

/** What the detector answers where no language fits. */
const UNKNOWN = 'und';

let loaded: Promise<DetectLanguage> | undefined;

/** A detector of some 160 languages, which reads the first 2,048 characters of a text. It is loaded when it is first needed. */
export function languageDetector(): Promise<DetectLanguage> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<DetectLanguage> {
  const [{ francAll }, { data }, { expressions }] = await Promise.all([
    import('franc'),
    import('franc/data.js'),
    import('franc/expressions.js'),
  ]);
  // The expressions are of scripts, too, whose names are longer than a language's code.
  const known = [
    ...Object.values(data).flatMap((models) => Object.keys(models)),
    ...Object.keys(expressions),
  ].filter((code) => code.length === 3 && shortCode(code) !== code);
  const none = new Map(known.map((code) => [shortCode(code), 0]));
  return (text) => {
    const found = francAll(text, { only: known })
      .filter(([code]) => code !== UNKNOWN)
      .map(([code, score]) => [shortCode(code), score] as const);
    if (found.length === 0) return new Map();
    const scores = new Map(none);
    for (const [code, score] of found) scores.set(code, Math.max(score, scores.get(code) ?? 0));
    return scores;
  };
}

/** The code of a language as a locale names it; the same code for a language without a shorter one. */
function shortCode(code: string): string {
  return LANGUAGE_OF_GROUP[code] ?? new Intl.Locale(code).language;
}
