import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** Loaded when the first pattern is compiled: most configurations have none. */
function engine(): typeof RE2JS {
  const load = createRequire(import.meta.url) as (name: 're2js') => { readonly RE2JS: typeof RE2JS };
  return load('re2js').RE2JS;
}

/** Why a pattern is none that RE2 accepts, for people; null when it is one. RE2 matches in linear time, whatever the text. */
export function patternProblem(pattern: string): string | null {
  try {
    engine().compile(pattern);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the first part of a text that matches one of the patterns, in the order of the patterns; null for none. */
export function forbiddenBy(patterns: readonly string[]): (text: string) => string | null {
  const compiled = patterns.map((pattern) => engine().compile(pattern));
  return (text) => {
    // A phrase also matches with a no-break space or invisible characters in it.
    const spellings = [...new Set([text, plainSpelling(text)])];
    for (const pattern of compiled) {
      for (const spelling of spellings) {
        const matcher = pattern.matcher(spelling);
        if (matcher.find()) return matcher.group() ?? '';
      }
    }
    return null;
  };
}

/** Letters in their composed form, single spaces in place of any white space, and no invisible signs. */
function plainSpelling(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .replaceAll(/\s+/g, ' ');
}

/** Whether some part of the text matches the pattern; null for a pattern that is none of RE2. */
export function matchesPattern(pattern: string, text: string): boolean | null {
  return patternProblem(pattern) === null ? engine().compile(pattern).matcher(text).find() : null;
}
