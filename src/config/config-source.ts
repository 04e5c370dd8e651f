import { isDeepStrictEqual } from 'node:util';
import { CodedError } from '../domain/errors.js';
import { isMap } from './config-file.js';
import type { LoadedConfig } from './load-config.js';
import type { AppConfig } from './schema.js';
import type { ListedSetting } from './settings-list.js';
import { secretValues } from './secrets.js';

/** The settings that a reload may change. All others are fixed from the start of a process to its end. */
const RELOADED: readonly (keyof AppConfig)[] = [
  'workspaces',
  'stores',
  'storesDir',
  'secretsDir',
  'storeTemplate',
];

/** The configuration of this process, and its files, to be read again. */
export class ConfigSource {
  #current: AppConfig;
  #secrets: readonly string[];
  #settings: LoadedConfig['settings'];

  /** `read` reads the files again. It throws `ConfigError` when they cannot be used. */
  constructor(
    config: AppConfig,
    private readonly read: () => LoadedConfig,
    settings: LoadedConfig['settings'] = () => [],
  ) {
    this.#settings = settings;
    this.#current = config;
    this.#secrets = secretValues(config);
  }

  get current(): AppConfig {
    return this.#current;
  }

  /** All secrets that this process has had: a line about a replaced one must not show it. */
  readonly secrets = (): readonly string[] => this.#secrets;

  /**
   * The files as they are now. Throws `misconfigured`, with the reason, when they cannot be used or change what needs a
   * restart; nothing changes then.
   */
  next(): LoadedConfig {
    const loaded = this.read();
    const fixed = changedSettings(this.#current, loaded.config).filter(
      (setting) => !RELOADED.some((key) => setting === key || setting.startsWith(`${key}.`)),
    );
    if (fixed.length > 0)
      throw new CodedError('misconfigured', `${fixed.join(', ')}: the change needs a restart of store-sync`);
    const moved = movedShops(this.#current.stores, loaded.config.stores);
    if (moved.length > 0)
      throw new CodedError(
        'misconfigured',
        `${moved.join(', ')}: a store that is renamed, or gets another shop, needs a restart of store-sync`,
      );
    return loaded;
  }

  /** The current settings with their origins, secrets masked. Empty where the configuration was not read from files. */
  settings(): readonly ListedSetting[] {
    return this.#settings();
  }

  /** From now on `config` is current, and its secrets are masked too. */
  accept({ config, settings }: Pick<LoadedConfig, 'config' | 'settings'>): void {
    this.#settings = settings;
    this.#current = config;
    this.#secrets = [...new Set([...this.#secrets, ...secretValues(config)])];
  }
}

/** Stores whose key had another shop before, or whose shop had another key. */
function movedShops(before: AppConfig['stores'], after: AppConfig['stores']): string[] {
  const keys = new Map(Object.entries(before).map(([key, { shop }]) => [shop, key]));
  return Object.entries(after)
    .filter(([key, { shop }]) => (keys.get(shop) ?? key) !== key || (before[key]?.shop ?? shop) !== shop)
    .map(([key]) => `stores.${key}`);
}

/** Key paths, such as `server.port`, of the settings that differ. Lists are one setting. */
function changedSettings(before: unknown, after: unknown, path = ''): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isMap(before) || !isMap(after)) return [path];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) =>
    changedSettings(before[key], after[key], path === '' ? key : `${path}.${key}`),
  );
}
