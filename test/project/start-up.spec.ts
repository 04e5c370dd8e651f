import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { posix } from 'node:path';
import { sourceFiles } from '../support/source-files.js';

const texts = new Map(sourceFiles('src').map(({ path, text }) => [path, text]));

/** Modules that a file loads before it runs: type imports are erased, and `import()` waits until it is called. */
function loadedBy(path: string): string[] {
  const { statements } = ts.createSourceFile(path, texts.get(path) ?? '', ts.ScriptTarget.Latest);
  return statements
    .flatMap((statement) => {
      if (ts.isExportDeclaration(statement))
        return statement.moduleSpecifier && !statement.isTypeOnly ? [statement.moduleSpecifier] : [];
      if (!ts.isImportDeclaration(statement) || statement.importClause?.phaseModifier !== undefined)
        return [];
      const named = statement.importClause?.namedBindings;
      const typesOnly = named && ts.isNamedImports(named) && named.elements.every((each) => each.isTypeOnly);
      return typesOnly ? [] : [statement.moduleSpecifier];
    })
    .filter(ts.isStringLiteral)
    .map(({ text }) =>
      text.startsWith('.') ? posix.join(posix.dirname(path), text).replace(/\.js$/, '.ts') : text,
    );
}

/** Everything that a file loads, directly or not. */
function closureOf(path: string, seen = new Set<string>()): Set<string> {
  for (const each of loadedBy(path)) {
    if (seen.has(each)) continue;
    seen.add(each);
    if (each.startsWith('src/')) closureOf(each, seen);
  }
  return seen;
}

describe('the program', () => {
  it('loads no library but commander for help, for its version and for wrong options', () => {
    const loaded = [...closureOf('src/main.ts')];
    expect(loaded).toContain('src/cli/commands.ts');
    expect(loaded.filter((each) => !each.startsWith('src/') && !each.startsWith('node:'))).toEqual([
      'commander',
    ]);
  });
});
