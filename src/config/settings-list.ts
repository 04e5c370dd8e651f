import { keyPath } from './config-error.js';
import { isMap, type ConfigFile } from './config-file.js';
import type { AppConfig } from './schema.js';
import { describeConfig } from './secrets.js';

/** A setting as this process uses it. */
export interface ListedSetting {
  /** Key path, such as `server.port`. */
  readonly key: string;
  /** `***` for a secret. */
  readonly value: string;
  /** The place that gave the value, for people: file and line, environment variable, or the built-in default. */
  readonly origin: string;
}

export interface SettingPlaces {
  /** The files in the order in which they were read: later ones win. */
  readonly files: readonly ConfigFile[];
  /** The shipped file of defaults. */
  readonly shipped: string;
  /** Key path to the place beside the files that set it. */
  readonly fromEnvironment: ReadonlyMap<string, string>;
  /** Whether the environment, or a file that it names, has the variable. */
  readonly isSet: (name: string) => boolean;
}

export const BUILT_IN = 'built-in default';
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)/g;

/** Every setting with its value and its origin, secrets masked. Lists are one setting. */
export function listSettings(config: AppConfig, places: SettingPlaces): ListedSetting[] {
  return leaves(describeConfig(config), []).map(({ path, value }) => ({
    key: keyPath(path),
    value: textOf(value),
    origin: originOf(path, places),
  }));
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

function leaves(value: unknown, path: readonly string[]): Leaf[] {
  if (!isMap(value) || Object.keys(value).length === 0) return value === undefined ? [] : [{ path, value }];
  return Object.entries(value).flatMap(([key, member]) => leaves(member, [...path, key]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function originOf(
  path: readonly string[],
  { files, shipped, fromEnvironment, isSet }: SettingPlaces,
): string {
  const outside = fromEnvironment.get(keyPath(path));
  if (outside !== undefined) return outside;
  const file = files.findLast((each) => each.locate(path).depth === path.length);
  if (file === undefined) return BUILT_IN;
  const { line } = file.locate(path);
  const place = line === null ? file.path : `${file.path}:${line}`;
  const names = referencesIn(valueAt(file.settings, path));
  if (file.path === shipped && !names.some(isSet)) return BUILT_IN;
  const given = names.map((name) => (isSet(name) ? name : `default of ${name}`));
  return given.length === 0 ? place : `${place} (${given.join(', ')})`;
}

function valueAt(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isMap(value) ? value[key] : undefined), settings);
}

function referencesIn(value: unknown): string[] {
  return value === undefined
    ? []
    : [...JSON.stringify(value).matchAll(REFERENCE)].map(([, name = '']) => name);
}
