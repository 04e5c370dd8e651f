import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, keyPath } from './config-error.js';
import type { ConfigProblem } from './config-error.js';
import { isMap, mergeSettings, readConfigFile } from './config-file.js';
import type { ConfigFile, Settings } from './config-file.js';
import type { Environment } from './environment.js';
import { expandReferences, lookUp } from './references.js';
import { onlyReceives, withoutCredentials } from './process-roles.js';
import { configSchema, issueText } from './schema.js';
import type { AppConfig } from './schema.js';
import { withSecretFiles } from './secret-files.js';
import { removedSetting } from './removed-settings.js';
import { listSettings, type ListedSetting } from './settings-list.js';
import { readStoreFiles } from './store-files.js';
import { withoutWaiting } from './text-file.js';
import { configWarnings } from './warnings.js';

/** The path is the same from `src/config` and from `dist/config`. */
const DEFAULT_FILE = fileURLToPath(new URL('../../config/default.yaml', import.meta.url));

export interface LoadOptions {
  /** The file of `--config`; otherwise the one that STORE_SYNC_CONFIG names, or `store-sync.yaml` in the working directory. */
  readonly configFile?: string | undefined;
  readonly env: Environment;
  /** `start` gives its `--roles`, such as "receive,work". A command does not, and reads all credentials, whatever the roles. */
  readonly daemon?: { readonly roles?: string | undefined };
  /** The base of relative paths: `database.dataDir` and the configuration file. */
  readonly cwd?: string;
}

export interface LoadedConfig {
  readonly config: AppConfig;
  /** Settings that work but are probably not intended; one line each. */
  readonly warnings: readonly string[];
  /** The files that were read, in order. */
  readonly files: readonly string[];
  /**
   * The directory that a relative `database.dataDir` would name beside the operator's file; null when that is the configured one, or
   * when the setting is absolute. A database there, and none in the configured directory, means a wrong working directory.
   */
  readonly dataDirBesideFile: string | null;
  /** Every setting with its value and its origin, secrets masked. */
  readonly settings: () => readonly ListedSetting[];
  /** The same files and environment as they are then. */
  readonly readAgain: () => LoadedConfig;
}

/**
 * Reads `config/default.yaml`, the operator's file and those of `storesDir`, replaces references to the environment, and checks the result
 * (docs/configuration.md). Throws ConfigError with all problems, each with key, file and expected value.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const cwd = options.cwd ?? process.cwd();
  const inEnvironment = options.env['STORE_SYNC_CONFIG'] ?? '';
  const named = options.configFile ?? (inEnvironment === '' ? fileIn(cwd) : inEnvironment);
  const paths = named === undefined ? [DEFAULT_FILE] : [DEFAULT_FILE, resolve(cwd, named)];
  const main = paths.map(readConfigFile);
  const env = withSecretFiles(main, options.env);
  const files = [...main, ...readStoreFiles(main, env)];
  const written = files.reduce<Settings>((below, file) => mergeSettings(below, file.settings), {});
  const settings = withEnvironment(written, { ...options, env }, files);
  const parsed = configSchema.safeParse(settings.tree, { error: issueText });
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.flatMap((issue) => problemsOf(issue, files, settings.fromEnvironment)),
    );
  }
  const { database, ...rest } = parsed.data;
  const config = deepFreeze({ ...rest, database: { ...database, dataDir: resolve(cwd, database.dataDir) } });
  const besideFile = resolve(dirname(paths.at(-1) ?? DEFAULT_FILE), database.dataDir);
  const isElsewhere =
    paths.length > 1 && !isAbsolute(database.dataDir) && besideFile !== config.database.dataDir;
  return Object.freeze({
    config,
    warnings: configWarnings(config),
    dataDirBesideFile: isElsewhere ? besideFile : null,
    files: files.map(({ path }) => path),
    settings: () =>
      listSettings(config, {
        files,
        shipped: DEFAULT_FILE,
        fromEnvironment: settings.fromEnvironment,
        isSet: (name) => isSet(name, options.env),
      }),
    readAgain: () => withoutWaiting(() => loadConfig({ ...options, cwd })),
  });
}

const USUAL_NAME = 'store-sync.yaml';

function fileIn(cwd: string): string | undefined {
  return existsSync(resolve(cwd, USUAL_NAME)) ? USUAL_NAME : undefined;
}

/** Checks settings that are in no file. Each problem is a line with the key and what was expected, never the value. */
export function parseSettings(
  tree: Settings,
): { readonly config: AppConfig } | { readonly problems: readonly string[] } {
  const parsed = configSchema.safeParse(tree, { error: issueText });
  if (parsed.success) return { config: deepFreeze(parsed.data) };
  return {
    problems: parsed.error.issues.map((issue) => `${keyPath(issue.path)}: ${problemText(issue)}`),
  };
}

interface EffectiveSettings {
  readonly tree: unknown;
  /** Key path to the environment variable that set it. */
  readonly fromEnvironment: ReadonlyMap<string, string>;
}

function withEnvironment(
  written: Settings,
  { env, daemon }: Pick<LoadOptions, 'env' | 'daemon'>,
  files: readonly ConfigFile[],
): EffectiveSettings {
  const problems: ConfigProblem[] = [];
  // Platforms that assign a port set only PORT, so PORT takes precedence over a file.
  const fromEnvironment = new Map<string, string>();
  const overriding: Record<string, string> = {};
  for (const [key, name, given] of [
    ['port', 'PORT', undefined],
    ['roles', 'STORE_SYNC_ROLES', daemon?.roles],
  ] as const) {
    const found = given === undefined ? lookUp(name, env) : { ok: true as const, value: given };
    if (!found.ok) problems.push({ key: `server.${key}`, text: found.problem, source: 'environment' });
    if (!found.ok || found.value === undefined || found.value === '') continue;
    overriding[key] = found.value;
    fromEnvironment.set(`server.${key}`, given === undefined ? `environment variable ${name}` : `--${key}`);
  }
  const isWellFormed = written['server'] === undefined || isMap(written['server']);
  const overridden = isWellFormed ? mergeSettings(written, { server: overriding }) : written;
  const used = daemon !== undefined && onlyReceives(overridden) ? withoutCredentials(overridden) : overridden;
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
  const tree = expand(used, []);
  if (problems.length > 0) throw new ConfigError(problems);
  return { tree, fromEnvironment };
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
    const text =
      (issue.code === 'unrecognized_keys' ? removedSetting(path) : undefined) ?? problemText(issue);
    return { key, text, source: overrides.get(settingOf(path)) ?? sourceOf(path, files) };
  });
}

/** The key of the setting, without the place in its list. */
function settingOf(path: readonly PropertyKey[]): string {
  return keyPath(path.filter((key) => typeof key !== 'number'));
}

/** Schema messages are nouns ("a shop domain"), and messages of `issueText` are sentences. */
function problemText(issue: Issue): string {
  if (issue.code === 'invalid_key') return `expected ${issue.issues?.[0]?.message ?? 'another name'}`;
  return issue.code === 'custom' || issue.code === 'invalid_format'
    ? `expected ${issue.message}`
    : issue.message;
}

function isSet(name: string, env: Environment): boolean {
  const found = lookUp(name, env);
  return found.ok && found.value !== undefined && found.value !== '';
}

/** The last file that has most of the path, with the line. A missing key is reported for the file with its section. */
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
