import { isNode, LineCounter, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import { ConfigError } from './config-error.js';
import { maskReferences, unmaskReferences } from './references.js';
import { readTextFile } from './text-file.js';

export type Settings = Readonly<Record<string, unknown>>;

/** A configuration file as written, before references to the environment are replaced. */
export interface ConfigFile {
  readonly path: string;
  readonly settings: Settings;
  /** How many of the path's keys the file has, and the line of the last one. */
  locate(path: readonly PropertyKey[]): { readonly depth: number; readonly line: number | null };
}

/** Reads a YAML file. Throws ConfigError with file, line and column when it cannot be read or parsed. */
export function readConfigFile(path: string): ConfigFile {
  const lines = new LineCounter();
  const document = parseDocument(maskReferences(readText(path)), { prettyErrors: false, lineCounter: lines });
  // Of a tag that it does not know the parser only warns: a secret that begins with ! would be taken for an empty text.
  const tags = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const faults = [...document.errors, ...tags].map((error) => {
    const { line, col } = lines.linePos(error.pos[0]);
    return { key: '', text: notYaml(error.message), source: `${path}:${line}:${col}` };
  });
  if (faults.length > 0) throw new ConfigError(faults.slice(0, 1));
  return {
    path,
    settings: topLevelMap(document, path),
    locate: (keys) => locate(document, lines, keys),
  };
}

const SIGN_OF_YAML = /\b(?:tag|alias|block scalar header)\b/i;

/** The parser's message without the part of the file that it quotes, which may be a secret. */
function notYaml(message: string): string {
  const hint = SIGN_OF_YAML.test(message) ? ': a value that begins with !, *, | or > needs quotes' : '';
  return `not YAML: ${message.replace(/(?:: |; | \\).*$/s, '')}${hint}`;
}

function readText(path: string): string {
  const read = readTextFile(path);
  if (read.ok) return read.text;
  const missing = read.code === 'ENOENT';
  const text = missing ? 'there is no such configuration file' : `the file cannot be read (${read.code})`;
  throw new ConfigError([{ key: '', text, source: path }], read.cause);
}

function topLevelMap(document: Document, path: string): Settings {
  let value: unknown;
  try {
    value = unmask(document.toJS());
  } catch (error) {
    const text = notYaml(error instanceof Error ? error.message : 'a reference in it cannot be resolved');
    throw new ConfigError([{ key: '', text, source: path }], error);
  }
  if (value === null || value === undefined) return {};
  if (!isMap(value)) throw new ConfigError([{ key: '', text: 'expected a map of settings', source: path }]);
  return value;
}

function unmask(value: unknown): unknown {
  if (typeof value === 'string') return unmaskReferences(value);
  if (Array.isArray(value)) return value.map(unmask);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [unmaskReferences(key), unmask(member)]),
  );
}

function locate(
  document: Document,
  lines: LineCounter,
  keys: readonly PropertyKey[],
): { depth: number; line: number | null } {
  for (let depth = keys.length; depth > 0; depth--) {
    const node: unknown = document.getIn(keys.slice(0, depth), true);
    if (node === undefined) continue;
    return { depth, line: isNode(node) && node.range ? lines.linePos(node.range[0]).line : null };
  }
  return { depth: 0, line: null };
}

/** Merges one tree of settings into another. Maps are merged; all other values, including lists, are replaced. */
export function mergeSettings(base: Settings, over: Settings): Settings {
  const merged = Object.entries(over).map(([key, value]): [string, unknown] => {
    const below = Object.hasOwn(base, key) ? base[key] : undefined;
    return [key, isMap(below) && isMap(value) ? mergeSettings(below, value) : value];
  });
  return Object.fromEntries([...Object.entries(base), ...merged]);
}

export function isMap(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
