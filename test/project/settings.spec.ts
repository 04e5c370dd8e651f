import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { parse } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../../src/config/schema.js';
import { sourceFiles } from '../support/source-files.js';
import { rowsOf } from './markdown.js';

const tree = z.record(z.string(), z.unknown());
/** Maps whose keys are data. */
const DATA = [
  'generation.request.body',
  'server.tokens',
  'writeBack.fields',
  'writeBack.attributes',
  'writeBack.variants',
  'mapping.tags',
];

const shipped = shippedSettings();

/** Every setting of config/default.yaml, those in comments too, by its path. */
function shippedSettings(): ReadonlyMap<string, unknown> {
  const text = readFileSync('config/default.yaml', 'utf8')
    .replaceAll(/^(workspaces|stores): \{\}$/gm, '$1:')
    .replaceAll(/^#( {2,})/gm, '$1')
    .replaceAll(/\$\{[A-Z_]+(:-[a-z]*)?\}/g, (reference) => JSON.stringify(reference));
  return new Map(leaves(parse(text), ''));
}

function leaves(value: unknown, path: string): [string, unknown][] {
  const map = tree.safeParse(value);
  if (!map.success || DATA.some((name) => path.endsWith(name))) return [[path, value]];
  return Object.entries(map.data).flatMap(([key, member]) => {
    const name = path === 'workspaces' || path === 'stores' ? '<name>' : key;
    return leaves(member, path === '' ? name : `${path}.${name}`);
  });
}

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

const documented = new Map(
  rowsOf(readFileSync('docs/configuration.md', 'utf8'))
    .filter(([name]) => name?.startsWith('`'))
    .map(([name = '', value = '', meaning = '']) => [name.replaceAll('`', ''), { value, meaning }]),
);

describe('the settings of config/default.yaml', () => {
  it('are those of the schema', () => {
    const named = (value: unknown, path: string): unknown => {
      const map = tree.safeParse(value);
      if (!map.success || DATA.some((name) => path.endsWith(name))) return value;
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
    const known = leaves(parsed.data, '').map(([path]) => path);
    // Alternatives, and what is not set, have no value that the file could show.
    expect([...shipped.keys()].filter((path) => !known.includes(path)).filter(isSet)).toEqual([]);
    expect(known.filter((path) => !shipped.has(path))).toEqual([]);
  });

  it('are read by the program', () => {
    const names = namesRead();
    expect([...shipped.keys()].filter((path) => !names.has(path.split('.').at(-1) ?? ''))).toEqual([]);
  });

  it('are documented, each with its default', () => {
    expect([...documented.keys()].sort()).toEqual([...shipped.keys()].sort());
    for (const [path, value] of shipped) {
      const row = documented.get(path);
      expect([path, row?.value]).toEqual([path, row?.value === 'required' ? 'required' : shown(value)]);
      expect(row?.meaning).not.toBe('');
    }
  });
});

function isSet(path: string): boolean {
  return shipped.get(path) !== '' && !/^\$\{[A-Z_]+:-\}$/.test(String(shipped.get(path)));
}

function shown(value: unknown): string {
  if (value === '') return 'empty';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
