import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../../src/config/schema.js';

const INTRODUCTION = readFileSync(new URL('configuration-start.md', import.meta.url), 'utf8');
const tree = z.record(z.string(), z.unknown());

/** Maps whose keys are data, and what is one setting although it has parts. */
const WHOLE = [
  'generation.request',
  'assumptions.deleteProduct',
  'assumptions.uploadCsv',
  'server.tokens',
  'notifications.events',
  '>.auth',
  'gates.title',
  'gates.descriptionHtml',
  'writeBack.fields',
  'writeBack.attributes',
  'writeBack.variants',
  'mapping.tags',
];

/** What a store needs, before what it may have. */
const FIRST = ['kind', 'workspace', 'shop', 'url', 'auth'].map((key) => `stores.<name>.${key}`).toReversed();

const PARTS: readonly [title: string, isIn: (path: string) => boolean][] = [
  ['A workspace of the catalog service', (path) => path.startsWith('workspaces.')],
  ['A store', (path) => path.startsWith('stores.')],
  ['Server, database, queue, notifications', () => true],
];

/** docs/configuration.md, before formatting: the settings of the schema with their descriptions, and the defaults of config/default.yaml. */
export function configurationPage(): string {
  const shipped = shippedSettings();
  const settings = [...describedSettings(configSchema, '')].toSorted(
    ([a], [b]) => FIRST.indexOf(b) - FIRST.indexOf(a),
  );
  const rows = settings.map(([path, { meaning, isRequired }]) => ({
    path,
    text: `| \`${path}\` | ${isRequired ? 'required' : shown(shipped.get(path))} | ${meaning.replaceAll('|', '\\|')} |`,
  }));
  const parts = PARTS.map(([title, isIn], index) => {
    const others = PARTS.slice(0, index);
    const own = rows.filter(({ path }) => isIn(path) && !others.some(([, earlier]) => earlier(path)));
    return [
      `## ${title}\n`,
      '| setting | default | meaning |',
      '| --- | --- | --- |',
      ...own.map(({ text }) => text),
    ].join('\n');
  });
  return `${INTRODUCTION}\n${parts.join('\n\n')}\n`;
}

/** The paths of all settings that the schema describes. */
export function describedPaths(): string[] {
  return [...describedSettings(configSchema, '')].map(([path]) => path);
}

/** The settings that config/default.yaml shows, those in comments too, by their path. */
export function shippedSettings(): ReadonlyMap<string, unknown> {
  const text = readFileSync('config/default.yaml', 'utf8')
    .replaceAll(/^(workspaces|stores): \{\}$/gm, '$1:')
    .replaceAll(/^#( {2,})/gm, '$1')
    .replaceAll(/\$\{[A-Z_]+(:-[a-z]*)?\}/g, (reference) => JSON.stringify(reference));
  return new Map(settingsOf(parse(text), ''));
}

/** The settings of a configuration by their path, with `<name>` for the name of a workspace or store. */
export function settingsOf(value: unknown, path: string): [string, unknown][] {
  const map = tree.safeParse(value);
  if (!map.success || isWhole(path)) return [[path, value]];
  return Object.entries(map.data).flatMap(([key, member]) => settingsOf(member, join(path, key)));
}

export function isWhole(path: string): boolean {
  return WHOLE.some((name) => path.endsWith(name));
}

function join(path: string, key: string): string {
  const name = path === 'workspaces' || path === 'stores' ? '<name>' : key;
  return path === '' ? name : `${path}.${name}`;
}

interface Described {
  readonly meaning: string;
  readonly isRequired: boolean;
}

/** Each part of the schema that has a description is a setting. */
function* describedSettings(schema: z.core.$ZodType, path: string): Generator<[string, Described]> {
  const meaning = z.globalRegistry.get(schema)?.description;
  if (meaning !== undefined) {
    yield [path, { meaning, isRequired: !z.safeParse(schema, undefined).success }];
    return;
  }
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject)
    for (const [key, member] of Object.entries<z.core.$ZodType>(inner.shape))
      yield* describedSettings(member, join(path, key));
  if (inner instanceof z.ZodDiscriminatedUnion)
    yield* new Map(inner.options.toReversed().flatMap((kind) => [...describedSettings(kind, path)]));
  if (inner instanceof z.ZodRecord) yield* describedSettings(inner.valueType, join(path, '<name>'));
}

/** The schema inside of defaults and preprocessing. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe)
    return unwrapped(schema.out instanceof z.ZodTransform ? schema.in : schema.out);
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return unwrapped(schema.unwrap());
  return schema;
}

function shown(value: unknown): string {
  if (value === '') return 'empty';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
