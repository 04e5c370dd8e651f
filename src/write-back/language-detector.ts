import type { DetectLanguage } from '../planner/gates/language.js';

let loaded: Promise<DetectLanguage> | undefined;

/** A detector of some 160 languages, which reads the first 2,048 characters of a text. It is loaded when it is first needed. */
export function languageDetector(): Promise<DetectLanguage> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<DetectLanguage> {
  const [{ francAll }, { iso6393To1 }] = await Promise.all([import('franc'), import('iso-639-3')]);
  const languages = Object.keys(iso6393To1);
  return (text) =>
    new Map(
      francAll(text, { only: languages }).flatMap(([code, score]): [string, number][] => {
        const short = Object.hasOwn(iso6393To1, code) ? iso6393To1[code] : undefined;
        return short === undefined ? [] : [[short, score]];
      }),
    );
}
