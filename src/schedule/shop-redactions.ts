import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import type { ShopRedactionEntity } from '../persistence/entities/index.js';
import { shopIdentity } from '../domain/external-id.js';
import { INSTALLED_KIND } from '../store/installs.js';
import { ShopRedactionRepository } from '../persistence/shop-redaction.repository.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { Logger } from '../runtime/logger.js';
import { Connections } from '../connections/connections.js';

const EVERY_MS = 15 * 60_000;
/** Rows per statement, which takes some tens of milliseconds. */
const STEP = 1_000;

/** Erases what is kept of shops that asked for it. Safe in any number of replicas at once. */
@Injectable()
export class ShopRedactions implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #log: Logger;
  #timer: NodeJS.Timeout | null = null;
  #round: Promise<void> | null = null;
  #stopped = false;

  constructor(
    private readonly redactions: ShopRedactionRepository,
    private readonly installations: StoreInstallationRepository,
    private readonly connections: Connections,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'install' });
  }

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => {
      this.#round ??= this.#guarded().finally(() => {
        this.#round = null;
      });
    }, EVERY_MS);
    this.#timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#round;
  }

  /** Erases all that is asked for. A stop ends it after the current statement, and the next process goes on. */
  async pass(): Promise<void> {
    for (const request of await this.redactions.open()) {
      if (!(await this.#mayErase(request))) continue;
      let rows = 0;
      for (let erased = -1; erased !== 0 && !this.#stopped; rows += erased)
        erased = await this.redactions.erase(request, shopIdentity(INSTALLED_KIND, request.shop), STEP);
      if (this.#stopped) return;
      await this.redactions.end(request.shop, rows);
      this.#log.info({ shop: request.shop, store: request.storeKey, rows }, 'all rows of a shop were erased');
    }
  }

  /**
   * False for a store that works by a configuration file by now, and for one that still answers: its request is about an earlier
   * installation. The event of an uninstall may be lost, so a shop that counts as installed is asked.
   */
  async #mayErase(request: ShopRedactionEntity): Promise<boolean> {
    const { shop, storeKey } = request;
    const isOfFile = this.connections.stores.some(
      (store) => !store.isInstalled && (store.key === storeKey || store.settings.shop === shop),
    );
    if (isOfFile) {
      await this.redactions.drop(shop);
      this.#log.info({ shop, store: storeKey }, 'the shop is configured in a file: nothing of it is erased');
      return false;
    }
    if ((await this.installations.find(shop)) === null) return true;
    const store = this.connections.findStore(storeKey);
    if (store === undefined) return false;
    try {
      await store.connector.probe();
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      if (!isCoded(error, 'auth', 'not_found')) {
        this.#log.warn(
          { shop, err: errorLine(error) },
          'the shop cannot be asked now; the next round tries again',
        );
        return false;
      }
      await this.redactions.confirm(request);
      return (await this.installations.find(shop)) === null;
    }
    await this.redactions.drop(shop);
    this.#log.info(
      { shop, store: storeKey },
      'the shop still has the app installed: nothing of it is erased',
    );
    return false;
  }

  async #guarded(): Promise<void> {
    try {
      await this.pass();
    } catch (error) {
      this.#log.warn(
        { err: errorLine(error) },
        'rows of a shop could not be erased; the next round tries again',
      );
    }
  }
}
