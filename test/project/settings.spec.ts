import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { parse } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../../src/config/schema.js';
import { sourceFiles } from '../support/source-files.js';
import { describedPaths, isWhole, settingsOf, shippedSettings } from '../support/configuration-page.js';

const tree = z.record(z.string(), z.unknown());
const shipped = shippedSettings();

/** In place of others, in a store of another kind than the file shows. */
const OF_ANOTHER_KIND = ['url', 'auth.consumerKey', 'auth.consumerSecret'].map(
  (name) => `stores.<name>.${name}`,
);

/** Names of properties that the program reads, its configuration and the sandbox left out. */
function namesRead(): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAccessExpression(node)) names.add(node.name.text);
    if (ts.isBindingElement(node)) names.add((node.propertyName ?? node.name).getText());
    ts.forEachChild(node, visit);
  };
  for (const { path, text } of sourceFiles('src')) {
    if (/^src\/(config|sandbox|cli\/demo)\/|\.spec\.ts$/.test(path)) continue;
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  }
  return names;
}

describe('the settings of config/default.yaml', () => {
  it('are those of the schema', () => {
    const named = (value: unknown, path: string): unknown => {
      const map = tree.safeParse(value);
      if (!map.success || isWhole(path)) return value;
      return Object.fromEntries(
        Object.entries(map.data).map(([key, member]) => [key, named(member, `${path}.${key}`)]),
      );
    };
    const written = parse(
      readFileSync('config/default.yaml', 'utf8')
        .replaceAll(/^(workspaces|stores): \{\}$/gm, '$1:')
        .replaceAll(/^#( {2,})/gm, '$1')
        .replaceAll(/\$\{[A-Z_]+:-([a-z]*)\}/g, '"$1"')
        .replaceAll(/\$\{[A-Z_]+\}/g, 'secret'),
    ) as unknown;
    const parsed = configSchema.safeParse(named(written, ''));
    expect(parsed.error?.issues ?? []).toEqual([]);
    const known = settingsOf(parsed.data, '').map(([path]) => path);
    // Alternatives, and what is not set, have no value that the file could show.
    expect([...shipped.keys()].filter((path) => !known.includes(path)).filter(isSet)).toEqual([]);
    expect(known.filter((path) => !shipped.has(path))).toEqual([]);
  });

  it('are read by the program', () => {
    const names = namesRead();
    expect([...shipped.keys()].filter((path) => !names.has(path.split('.').at(-1) ?? ''))).toEqual([]);
  });

  it('are all described', () => {
    const described = describedPaths().filter((path) => !OF_ANOTHER_KIND.includes(path));
    expect(described.toSorted()).toEqual([...shipped.keys()].toSorted());
  });
});

function isSet(path: string): boolean {
  return shipped.get(path) !== '' && !/^\$\{[A-Z_]+:-\}$/.test(String(shipped.get(path)));
}
