import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { placesWhere, sourceFiles } from '../support/source-files.js';

const program = sourceFiles('src').filter(({ path }) => !path.endsWith('.spec.ts'));

/** Modules of OpenTelemetry beyond its API, and the one file of ours that needs them. */
const SDK = /^(@opentelemetry\/(?!api$)|.*\/start\.js$)/;

function loadsTheSdk(node: ts.Node): boolean {
  if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return false;
  const isTypeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return !isTypeOnly && SDK.test(node.moduleSpecifier.text);
}

describe('tracing', () => {
  it('is loaded by nothing but the import that waits for the environment to ask for it', () => {
    const others = program.filter(({ path }) => path !== 'src/observability/tracing/start.ts');
    expect(others.flatMap((file) => placesWhere(file, loadsTheSdk))).toEqual([]);
    const starters = program.filter(({ imports }) => imports.includes('src/observability/tracing/start.ts'));
    expect(starters.map(({ path }) => path)).toEqual(['src/observability/tracing/tracing.module.ts']);
  });

  it('is what the check above would see in the file that starts it', () => {
    const start = program.find(({ path }) => path === 'src/observability/tracing/start.ts');
    expect(start && placesWhere(start, loadsTheSdk)).toHaveLength(4);
  });
});
