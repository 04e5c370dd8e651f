import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { CodedError, errorLine } from '../../src/domain/errors.js';
import { problemLine } from '../../src/config/config-error.js';
import { redactSecrets } from '../../src/observability/logging/redaction.js';
import { attributeKey } from '../../src/planner/attribute-keys.js';
import { attributesOf } from '../../src/planner/section-attributes.js';
import { sourceFiles } from '../support/source-files.js';

const LENGTH = 100_000;
/**
 * A linear pattern reads such a text in milliseconds, a quadratic one in half a minute: the deadline only ends the test, whatever the
 * machine does meanwhile.
 */
const DEADLINE_MS = 5_000;

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

/** Without one of these a pattern reads no more of a text than its own length. */
const UNBOUNDED = /[*+]|\{\d*,\d*\}/;

/** Every regular expression literal of the program that repeats something. */
function patterns(): Pattern[] {
  const found = new Map<string, Pattern>();
  for (const { path, text } of sourceFiles('src')) {
    if (path.endsWith('.spec.ts')) continue;
    const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const { line } = file.getLineAndCharacterOfPosition(node.getStart());
        const source = node.text.slice(1, end);
        const place = `${path}:${String(line + 1)}`;
        if (UNBOUNDED.test(source)) found.set(node.text, { place, source, flags: node.text.slice(end + 1) });
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return [...found.values()];
}

const PIECES = [' ', '\n', ...'aZ0-_./:,<>&"{}[]\\=@'.match(/./g)!];

/** Texts that a careless pattern reads again and again: each piece over and over, and a sign at the end that fits nothing. */
function attacksOn({ source }: Pattern): string[] {
  const words = [...source.matchAll(/[a-z]{2,}/gi)].map(([word]) => word);
  const pieces = [...PIECES, ...words, ...words.map((word) => `${word}-`)];
  return pieces.map((piece) => `${piece.repeat(Math.ceil(LENGTH / piece.length))}\u0001`);
}

const tried = { source: '', flags: '', text: '' };
createContext(tried);

/** True when the pattern has read the text before the deadline. */
function ends(
  { source, flags }: Pick<Pattern, 'source' | 'flags'>,
  text: string,
  timeout = DEADLINE_MS,
): boolean {
  Object.assign(tried, { source, flags, text });
  try {
    runInContext('text.replace(new RegExp(source, flags), "")', tried, { timeout });
    return true;
  } catch (error) {
    if (String(error).includes('timed out')) return false;
    throw error;
  }
}

describe('a regular expression of the program', () => {
  const all = patterns();

  it('is found by this test', () => {
    expect(all.length).toBeGreaterThan(50);
  });

  it('reads the worst text for it in linear time', () => {
    const slow = all.filter((pattern) => !attacksOn(pattern).every((text) => ends(pattern, text)));
    expect(slow.map(({ place, source }) => `${place} ${source}`)).toEqual([]);
  }, 600_000);

  it('would be found out if it were quadratic', () => {
    const quadratic = { source: '\\s*[\\r\\n]+\\s*x', flags: 'g' };
    expect(ends(quadratic, `${' '.repeat(LENGTH)}x`, 500)).toBe(false);
  });
});

describe('a text of a stranger', () => {
  const filled = (piece: string): string => piece.repeat(Math.ceil(LENGTH / piece.length));

  it.each([
    'eyJ-',
    '-eyJ',
    'eyJaaaaaaaa.',
    'a://',
    'a://b:',
    'Bearer ',
    'shpat_',
    '"',
    '":',
    '.',
    'eyJ.eyJ.',
  ])('is freed of secrets without being read again and again: %j', (piece) => {
    expect(redactSecrets(filled(piece), ['hush-hush-hush-hush']).length).toBeGreaterThan(0);
  });

  it.each([' ', '\n', ' \n', '\t'])('becomes one line without being read again and again: %j', (piece) => {
    const text = `a${filled(piece)}b`;
    expect(errorLine(new CodedError('invalid', text)).length).toBeLessThanOrEqual(2000);
    expect(problemLine({ key: 'a', text, source: 'b' })).toContain('a');
  });

  it.each(['-', '_', 'ä', 'a-', '\u0301'])('becomes the key of an attribute at once: %j', (piece) => {
    expect(attributeKey(`a${filled(piece)}!`).length).toBeLessThanOrEqual(64);
    expect(attributesOf({ sections: [{ [filled(piece)]: 1 }] }).byKey.size).toBeLessThanOrEqual(1);
  });
});
