import { Injectable } from '@nestjs/common';
import { ConnectionRefresh } from '../connections/connection-refresh.js';
import { Connections } from '../connections/connections.js';
import { InstallationTokens } from '../connections/installation-tokens.js';
import { keyFor } from '../connections/installed-stores.js';
import { StoreSubscriptions } from '../connections/store-subscriptions.js';
import { errorLine } from '../domain/errors.js';
import { shopIdentity } from '../domain/external-id.js';
import { SidePauseRepository } from '../persistence/side-pause.repository.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { StoreKeyRepository } from '../persistence/store-key.repository.js';
import { Logger } from '../runtime/logger.js';
import type { TokenGrant } from '../store/index.js';
import { INSTALLED_KIND } from '../store/installs.js';

/** A shop whose merchant has given access. */
export interface NewStore {
  readonly shop: string;
  readonly grant: TokenGrant & { readonly scopes: readonly string[] };
  readonly at: Date;
  /** The browser's, for the audit record. */
  readonly address: string | null;
}

/** Adds stores that merchants installed. */
@Injectable()
export class NewStores {
  readonly #log: Logger;

  constructor(
    private readonly installations: StoreInstallationRepository,
    private readonly keys: StoreKeyRepository,
    private readonly tokens: InstallationTokens,
    private readonly pauses: SidePauseRepository,
    private readonly connections: Connections,
    private readonly refresher: ConnectionRefresh,
    private readonly subscriptions: StoreSubscriptions,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'install' });
  }

  /** The key that the shop has had, or a free one; null when none is free. Rows of a store that is not configured any more keep their key. */
  async keyOf(shop: string): Promise<string | null> {
    const [own, installed, rows] = await Promise.all([
      this.installations.find(shop),
      this.installations.all(),
      this.keys.all(),
    ]);
    const before =
      own?.storeKey ?? rows.find(({ identity }) => identity === shopIdentity(INSTALLED_KIND, shop))?.store;
    if (before !== undefined) return before;
    const taken = new Set([
      ...this.connections.stores.map(({ key }) => key),
      ...installed.map((each) => each.storeKey),
      ...rows.map(({ store }) => store),
    ]);
    return keyFor(shop, (key) => taken.has(key));
  }

  /** Keeps the tokens, ends a pause, and connects the store. */
  async add(storeKey: string, { shop, grant, at, address }: NewStore): Promise<void> {
    const sealed = this.tokens.sealed(shop, grant);
    await this.installations.keep({ shop, storeKey, scopes: grant.scopes, at, address, ...sealed });
    await this.pauses.store.end(storeKey);
    await this.pauses.wake(storeKey);
    this.#log.info({ store: storeKey, shop }, 'a merchant installed the app');
    await this.refresher.refresh();
    await this.#subscribe(storeKey);
  }

  async #subscribe(storeKey: string): Promise<void> {
    const store = this.connections.findStore(storeKey);
    if (store === undefined) return;
    try {
      await this.subscriptions.keep(store);
    } catch (error) {
      this.#log.warn(
        { store: storeKey, err: errorLine(error) },
        'the store’s events could not be subscribed to; reconcile tries again',
      );
    }
  }
}
