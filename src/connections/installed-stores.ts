import { Inject, Injectable } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import { ConfigSource, SHOP_PLACEHOLDER, type AppConfig, type StoreConfig } from '../config/index.js';
import type { StoreInstallationEntity } from '../persistence/entities/index.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { Logger } from '../runtime/logger.js';
import { INSTALLED_KIND, shopName } from '../store/installs.js';
import { InstallationTokens } from './installation-tokens.js';

/** The most characters of a name in the configuration. */
const LONGEST_KEY = 63;

type Installation = Pick<StoreInstallationEntity, 'shop' | 'storeKey'>;
type JoinedConfig = Pick<AppConfig, 'workspaces' | 'stores'>;

export interface Joined {
  readonly config: JoinedConfig;
  /** Shops whose tokens are kept in the database. */
  readonly installed: ReadonlySet<string>;
  /** Installed shops that are left out, because a file has the shop or the key, or none has the workspace. */
  readonly left: readonly string[];
}

/** The settings of an installed store: those of the template, the shop and its workspace. */
export function installedSettings(
  template: NonNullable<AppConfig['storeTemplate']>,
  shop: string,
): StoreConfig {
  const webhookSecret = template.webhookSecret ?? template.auth.clientSecret;
  return { ...template, shop, workspace: workspaceOf(template, shop), webhookSecret };
}

/** The workspace of an installed shop: `{shop}` in the template's setting stands for the shop's name. */
export function workspaceOf({ workspace }: Pick<StoreConfig, 'workspace'>, shop: string): string {
  return workspace.replaceAll(SHOP_PLACEHOLDER, shopName(shop));
}

/** Adds installed stores to those of the files. A file wins: it is what the operator wrote. Pure. */
export function withInstalled(
  { workspaces, stores, storeTemplate }: Pick<AppConfig, 'workspaces' | 'stores' | 'storeTemplate'>,
  installations: readonly Installation[],
): Joined {
  const shops = new Set(Object.values(stores).map(({ shop }) => shop));
  const isFree = ({ shop, storeKey }: Installation): boolean =>
    storeTemplate !== undefined &&
    !shops.has(shop) &&
    !Object.hasOwn(stores, storeKey) &&
    Object.hasOwn(workspaces, workspaceOf(storeTemplate, shop));
  const joined = installations.filter(isFree);
  const added = joined.flatMap(({ shop, storeKey }) =>
    storeTemplate === undefined ? [] : [[storeKey, installedSettings(storeTemplate, shop)] as const],
  );
  return {
    config: { workspaces, stores: { ...stores, ...Object.fromEntries(added) } },
    installed: new Set(joined.map(({ shop }) => shop)),
    left: installations.filter((each) => !isFree(each)).map(({ shop }) => shop),
  };
}

/**
 * The key of a newly installed shop: its name, or the platform and its name where another store has that key. No shop's name has an
 * underscore, so that no merchant can take the second key of another one. Null when both are taken.
 */
export function keyFor(shop: string, taken: (key: string) => boolean): string | null {
  const name = shopName(shop);
  return [name, `${INSTALLED_KIND}_${name}`].find((key) => key.length <= LONGEST_KEY && !taken(key)) ?? null;
}

/** The installed stores as this process knows them. */
@Injectable()
export class InstalledStores {
  #known: readonly Installation[] = [];
  #left: readonly string[] = [];
  readonly #log: Logger;

  constructor(
    @Inject(StoreInstallationRepository)
    private readonly installations: Pick<StoreInstallationRepository, 'all'>,
    private readonly source: ConfigSource,
    readonly tokens: InstallationTokens,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'install' });
  }

  /** Reads the installations. True when there are others than before. */
  async look(): Promise<boolean> {
    const all = await this.installations.all();
    const found = all.map(({ shop, storeKey }) => ({ shop, storeKey }));
    const isSame = isDeepStrictEqual(found, this.#known);
    this.#known = found;
    return !isSame;
  }

  /** The configuration with the installed stores. */
  join(config: Pick<AppConfig, 'workspaces' | 'stores' | 'storeTemplate'> = this.source.current): Joined {
    const joined = withInstalled(config, this.#known);
    if (!isDeepStrictEqual(joined.left, this.#left) && joined.left.length > 0)
      this.#log.warn(
        { shops: joined.left },
        'installed stores are left out: a file has the shop or its key, no workspace is theirs, or there is no storeTemplate',
      );
    this.#left = joined.left;
    return joined;
  }
}
