import type { OnApplicationShutdown } from '@nestjs/common';
import type { CatalogClient } from '../catalog/client.js';
import { configuredIdentity, storeAddress, type StoreConfig, type WorkspaceConfig } from '../config/index.js';
import type { CatalogField } from '../domain/catalog-product.js';
import { CodedError } from '../domain/errors.js';
import { fingerprint } from '../domain/fingerprint.js';
import type { StoreConnector, StoreProbe } from '../domain/store-port.js';
import type { WriteLimits } from '../domain/write-cap.js';
import { generatedCatalogFields } from '../planner/generated-fields.js';
import { sourceRules, type SourceRules } from '../planner/source.js';

/** A workspace of the catalog service: its settings and its one client, with one rate limit. */
export interface Workspace {
  readonly key: string;
  readonly settings: WorkspaceConfig;
  readonly client: CatalogClient;
}

/** A store: its settings, its connector and its workspace. */
export interface Store {
  readonly key: string;
  readonly settings: StoreConfig;
  readonly connector: StoreConnector;
  readonly workspace: Workspace;
  /** The beginning of the external_ids of its products; null where the shop itself says it. */
  readonly identity: string | null;
  readonly rules: SourceRules;
  /** A fingerprint of workspace, its locale, filter and mapping. When it changes, the next run reads the whole store. */
  readonly scope: string;
  /** Catalog fields whose store fields write-back writes. */
  readonly generatedFields: ReadonlySet<CatalogField>;
  readonly writeLimits: WriteLimits;
  /** True when a merchant installed it: its tokens are in the database. */
  readonly isInstalled: boolean;
}

/** The address that a store's requests go to. */
export function addressOf({ settings }: Pick<Store, 'settings'>): string {
  return storeAddress(settings);
}

/** The client of a workspace, or the connector of a store. */
interface Connection {
  close(): unknown;
}

function connectionsOf({ workspaces, stores }: Pick<Connections, 'workspaces' | 'stores'>): Connection[] {
  return [...workspaces.map(({ client }) => client), ...stores.map(({ connector }) => connector)];
}

/** The configured workspaces and stores, with their connections. A reload of the configuration replaces them. */
export class Connections implements OnApplicationShutdown {
  #workspaces: ReadonlyMap<string, Workspace>;
  #stores: ReadonlyMap<string, Store>;
  /** The connections that a reload replaced. Work that began with them may still use them, so they are closed last. */
  readonly #replaced = new Set<Connection>();
  readonly #listeners = new Set<() => void>();

  constructor(workspaces: readonly Workspace[], stores: readonly Store[]) {
    this.#workspaces = byKey(workspaces);
    this.#stores = byKey(stores);
  }

  /** Work that begins after this uses the new ones. Listeners are called once they are in place. */
  replace(next: Pick<Connections, 'workspaces' | 'stores'>): void {
    for (const connection of connectionsOf(this)) this.#replaced.add(connection);
    this.#workspaces = byKey(next.workspaces);
    this.#stores = byKey(next.stores);
    for (const connection of connectionsOf(this)) this.#replaced.delete(connection);
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each replacement. */
  onReplaced(listener: () => void): void {
    this.#listeners.add(listener);
  }

  get workspaces(): readonly Workspace[] {
    return [...this.#workspaces.values()];
  }

  get stores(): readonly Store[] {
    return [...this.#stores.values()];
  }

  get storeKeys(): string[] {
    return [...this.#stores.keys()];
  }

  /** The workspace that a request names. Throws `not_found`. */
  knownWorkspace(key: string): Workspace {
    const workspace = this.#workspaces.get(key);
    if (workspace) return workspace;
    const known = [...this.#workspaces.keys()].join(', ') || 'none';
    throw new CodedError(
      'not_found',
      `no workspace "${key.slice(0, 100)}" is configured (configured: ${known})`,
    );
  }

  workspace(key: string): Workspace | undefined {
    return this.#workspaces.get(key);
  }

  findStore(key: string): Store | undefined {
    return this.#stores.get(key);
  }

  /** The store that a request names. Throws `not_found`. */
  namedStore(key: string): Store {
    const store = this.#stores.get(key);
    if (store === undefined)
      throw new CodedError('not_found', `store “${key.slice(0, 100)}” is not in the configuration`);
    return store;
  }

  /**
   * Throws `misconfigured` with the known stores. The key may come from a person, or from a row that is older than
   * the configuration.
   */
  store(key: string): Store {
    const store = this.#stores.get(key);
    if (store) return store;
    const known = [...this.#stores.keys()].join(', ') || 'none';
    throw new CodedError('misconfigured', `no store "${key}" is configured (configured: ${known})`);
  }

  /** Closes the connections to the catalog service and to the stores. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    const all = [...connectionsOf(this), ...this.#replaced];
    await Promise.all(all.map(async (connection) => await connection.close()));
  }
}

function byKey<Entry extends { readonly key: string }>(
  entries: readonly Entry[],
): ReadonlyMap<string, Entry> {
  return new Map(entries.map((entry) => [entry.key, entry]));
}

/** The store as a run plans it, which has asked the shop who it is. */
export function namedStore(store: Store, { name, identity }: Pick<StoreProbe, 'name' | 'identity'>): Store {
  return { ...store, identity, rules: { ...store.rules, shopName: name } };
}

/** A store with its rules and derived sets, resolved once. */
export function makeStore(
  key: string,
  settings: StoreConfig,
  connector: StoreConnector,
  workspace: Workspace,
  isInstalled = false,
): Store {
  const { shop, mapping, writeBack } = settings;
  const rules = sourceRules(shop, mapping, writeBack, workspace.settings.locale);
  return {
    isInstalled,
    identity: configuredIdentity(settings),
    key,
    settings,
    connector,
    workspace,
    rules,
    scope: fingerprint([workspace.key, settings.filter, rules.version]),
    generatedFields: generatedCatalogFields(settings.writeBack.fields, settings.writeBack.locales),
    writeLimits: {
      maxWritesPerRun: settings.limits.maxWritesPerRun,
      maxWritesPerDay: settings.limits.maxWritesPerDay,
      timezone: settings.schedule.timezone,
    },
  };
}
