import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, keyPath } from './config-error.js';
import type { ConfigProblem } from './config-error.js';
import { isMap, mergeSettings, readConfigFile } from './config-file.js';
import type { ConfigFile, Settings } from './config-file.js';
import type { Environment } from './environment.js';
import { expandReferences, lookUp } from './references.js';
import { configSchema, issueText } from './schema.js';
import type { AppConfig } from './schema.js';
import { configWarnings } from './warnings.js';

/** The same from `src/config` and from `dist/config`. */
const DEFAULT_FILE = fileURLToPath(new URL('../../config/default.yaml', import.meta.url));

export interface LoadOptions {
  /** The file that `--config` names; without it, the one that STORE_SYNC_CONFIG names. */
  readonly configFile?: string | undefined;
  readonly env: Environment;
  /** What `database.dataDir` and the configuration file's path are relative to. */
  readonly cwd?: string;
}

export interface LoadedConfig {
  readonly config: AppConfig;
  /** What works but probably not as meant; one line each. */
  readonly warnings: readonly string[];
  /** The files that were read, in order. */
  readonly files: readonly string[];
}

/**
 * Reads `config/default.yaml`, then the operator's file over it, replaces references to the environment and checks the whole
 * (docs/configuration.md). Throws ConfigError with every problem found, each naming key, file and what was expected.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const cwd = options.cwd ?? process.cwd();
  const named = options.configFile ?? options.env['STORE_SYNC_CONFIG'];
  const paths = named === undefined || named === '' ? [DEFAULT_FILE] : [DEFAULT_FILE, resolve(cwd, named)];
  const files = paths.map(readConfigFile);
  const written = files.reduce<Settings>((below, file) => mergeSettings(below, file.settings), {});
  const settings = withEnvironment(written, options.env, files);
  const parsed = configSchema.safeParse(settings.tree, { error: issueText });
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.flatMap((issue) => problemsOf(issue, files, settings.fromEnvironment)),
    );
  }
  const { database, ...rest } = parsed.data;
  const config = deepFreeze({ ...rest, database: { ...database, dataDir: resolve(cwd, database.dataDir) } });
  return Object.freeze({ config, warnings: configWarnings(config), files: paths });
}

interface EffectiveSettings {
  readonly tree: unknown;
  /** Key path to the variable that set it in place of a file. */
  readonly fromEnvironment: ReadonlyMap<string, string>;
}

function withEnvironment(
  written: Settings,
  env: Environment,
  files: readonly ConfigFile[],
): EffectiveSettings {
  const problems: ConfigProblem[] = [];
  const expand = (value: unknown, path: readonly PropertyKey[]): unknown => {
    if (Array.isArray(value)) return value.map((member, index) => expand(member, [...path, index]));
    if (isMap(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([key, member]) => [key, expand(member, [...path, key])]),
      );
    }
    if (typeof value !== 'string') return value;
    const expansion = expandReferences(value, env);
    if (expansion.ok) return expansion.value;
    problems.push({ key: keyPath(path), text: expansion.problem, source: sourceOf(path, files) });
    return value;
  };
  const expanded = expand(written, []);
  // Platforms that assign a port say so by PORT and nothing else; it therefore wins over a port that a file fixes.
  const port = lookUp('PORT', env);
  if (!port.ok) problems.push({ key: 'server.port', text: port.problem, source: 'environment' });
  if (problems.length > 0) throw new ConfigError(problems);
  if (!port.ok || port.value === undefined || port.value === '' || !isMap(expanded)) {
    return { tree: expanded, fromEnvironment: new Map() };
  }
  const tree = mergeSettings(expanded, { server: { port: port.value } });
  return { tree, fromEnvironment: new Map([['server.port', 'environment variable PORT']]) };
}

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
  readonly issues?: readonly { readonly message: string }[];
}

function problemsOf(
  issue: Issue,
  files: readonly ConfigFile[],
  overrides: ReadonlyMap<string, string>,
): ConfigProblem[] {
  const paths =
    issue.code === 'unrecognized_keys' ? (issue.keys ?? []).map((key) => [...issue.path, key]) : [issue.path];
  return paths.map((path) => {
    const key = keyPath(path);
    return { key, text: problemText(issue), source: overrides.get(key) ?? sourceOf(path, files) };
  });
}

/** Schemas say what they expect as a noun ("a shop domain"); `issueText` answers in whole sentences. */
function problemText(issue: Issue): string {
  if (issue.code === 'invalid_key') return `expected ${issue.issues?.[0]?.message ?? 'another name'}`;
  return issue.code === 'custom' || issue.code === 'invalid_format'
    ? `expected ${issue.message}`
    : issue.message;
}

/** The last file that holds most of the path, with the line; a missing key is laid to the file that holds its section. */
function sourceOf(path: readonly PropertyKey[], files: readonly ConfigFile[]): string {
  const places = files.map((file) => ({ path: file.path, ...file.locate(path) }));
  const best = places.reduce((found, place) => (place.depth >= found.depth ? place : found));
  return best.line === null ? best.path : `${best.path}:${best.line}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
