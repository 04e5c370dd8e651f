import { readFileSync, readdirSync } from 'node:fs';
import { pages } from '../markdown.js';
import { findingsIn, type Finding } from './rules.js';
import { proseOfCode, proseOfDocument } from './texts.js';

const BASELINE = 'test/project/prose/baseline.txt';
/** Pages that `npm run …` generates from code, and the history. */
const NOT_PROSE = ['docs/catalog-api-coverage.md', 'docs/faults.md', 'docs/catalog-rules.md'];

/** Files and folders (with a slash at their end) that are not clean yet. The list may only become shorter. */
export function baseline(): readonly string[] {
  return readFileSync(BASELINE, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Everything that the rules find in the repository, in order of path and line. */
export function lintRepository(): readonly Finding[] {
  const code = ['src', 'test', 'bin'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => /\.(ts|mjs|js)$/.test(path) && !/\/fixtures\/|^test\/project\/prose\//.test(path)),
  );
  const found = [
    ...code.flatMap((path) => proseOfCode(path, readFileSync(path, 'utf8'))),
    ...pages()
      .filter(({ path }) => !NOT_PROSE.includes(path))
      .flatMap(({ path, text }) => proseOfDocument(path, text)),
  ].flatMap(findingsIn);
  return found.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
}

/** Findings outside of the baseline, which must be fixed. */
export function newFindings(findings: readonly Finding[], allowed: readonly string[]): readonly Finding[] {
  return findings.filter(({ path }) => !allowed.some((entry) => covers(entry, path)));
}

/** Entries of the baseline under which nothing is found: they must go. */
export function staleEntries(findings: readonly Finding[], allowed: readonly string[]): readonly string[] {
  return allowed.filter((entry) => !findings.some(({ path }) => covers(entry, path)));
}

export function shown({ path, line, problem, sentence }: Finding): string {
  return `${path}:${String(line)}: ${problem}\n    ${sentence}`;
}

function covers(entry: string, path: string): boolean {
  return entry.endsWith('/') ? path.startsWith(entry) : path === entry;
}
