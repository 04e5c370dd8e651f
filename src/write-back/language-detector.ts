import type { DetectLanguage } from '../planner/gates/language.js';

/** Single languages that ISO 639-1 names by their group alone, such as Standard Arabic. */
const LANGUAGE_OF_GROUP: Readonly<Record<string, string>> = {
  als: 'sq',
  arb: 'ar',
  ayr: 'ay',
  azj: 'az',
  ckb: 'ku',
  cmn: 'zh',
  ekk: 'et',
  fuv: 'ff',
  khk: 'mn',
  knc: 'kr',
  kng: 'kg',
  lvs: 'lv',
  npi: 'ne',
  pbu: 'ps',
  pes: 'fa',
  plt: 'mg',
  prs: 'fa',
  quy: 'qu',
  quz: 'qu',
  src: 'sc',
  swh: 'sw',
  uzn: 'uz',
  ydd: 'yi',
  zlm: 'ms',
};

let loaded: Promise<DetectLanguage> | undefined;

/** A detector of some 160 languages, which reads the first 2,048 characters of a text. It is loaded when it is first needed. */
export function languageDetector(): Promise<DetectLanguage> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<DetectLanguage> {
  const [{ francAll }, { data }, { expressions }, { iso6393To1 }] = await Promise.all([
    ...([import('franc'), import('franc/data.js'), import('franc/expressions.js')] as const),
    import('iso-639-3'),
  ]);
  const shortCodes = new Map([...Object.entries(iso6393To1), ...Object.entries(LANGUAGE_OF_GROUP)]);
  const known = [
    ...Object.values(data).flatMap((models) => Object.keys(models)),
    ...Object.keys(expressions),
  ].filter((code) => shortCodes.has(code));
  const shortCode = (code: string): string[] => [shortCodes.get(code) ?? []].flat();
  const none = new Map(known.flatMap(shortCode).map((code) => [code, 0]));
  return (text) => {
    const found = francAll(text, { only: known }).flatMap(([code, score]) =>
      shortCode(code).map((short) => [short, score] as const),
    );
    if (found.length === 0) return new Map();
    const scores = new Map(none);
    for (const [code, score] of found) scores.set(code, Math.max(score, scores.get(code) ?? 0));
    return scores;
  };
}
