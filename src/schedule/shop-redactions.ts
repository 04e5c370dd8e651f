import { Injectable } from '@nestjs/common';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import type { StoreInstallationEntity } from '../persistence/entities/index.js';
import { shopIdentity } from '../domain/external-id.js';
import { INSTALLED_KIND } from '../store/installs.js';
import { ShopRedactionRepository } from '../persistence/shop-redaction.repository.js';
import { Clock } from '../runtime/clock.js';
import { Connections } from '../connections/connections.js';
import { Timers } from './timers.js';

/** Rows per statement, which takes some tens of milliseconds. */
const STEP = 1_000;
/** The law gives thirty days. A shop that could not be asked for this long no longer exists. */
const ERASED_UNASKED_MS = 20 * 24 * 3_600_000;

/** Erases what is kept of shops that asked for it. Safe in any number of replicas at once. */
@Injectable()
export class ShopRedactions {
  constructor(
    private readonly redactions: ShopRedactionRepository,
    private readonly connections: Connections,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /** Erases all that is asked for. A stop ends it after the current statement, and the next process goes on. */
  async pass(): Promise<void> {
    for (const request of await this.redactions.open()) {
      if (!(await this.#mayErase(request))) continue;
      const { shop, storeKey: store } = request;
      let rows = 0;
      for (let erased = -1; erased !== 0 && !this.timers.stopped; rows += Math.max(erased, 0))
        erased = await this.redactions.erase(request, shopIdentity(INSTALLED_KIND, shop), STEP);
      if (this.timers.stopped) return;
      if (await this.redactions.end(shop, rows))
        this.timers.log.info({ shop, store, rows }, 'all rows of a shop were erased');
    }
  }

  /**
   * False for a store that works by a configuration file by now, and for one that still answers: its request is about an earlier
   * installation. The event of an uninstall may be lost, so a shop that counts as installed is asked.
   */
  async #mayErase(request: StoreInstallationEntity): Promise<boolean> {
    const { shop, storeKey } = request;
    const isOfFile = this.connections.stores.some(
      (store) => !store.isInstalled && (store.key === storeKey || store.settings.shop === shop),
    );
    if (isOfFile) return this.#drop(request, 'the shop is configured in a file: nothing of it is erased');
    if (request.uninstalledAt !== null) return true;
    const refusal = await this.#ask(storeKey);
    if (refusal === null)
      return this.#drop(request, 'the shop still has the app installed: nothing of it is erased');
    const askedAt = request.erasureAskedAt?.getTime() ?? Infinity;
    const isDue = this.clock.now().getTime() - askedAt >= ERASED_UNASKED_MS;
    if (isDue || isCoded(refusal, 'auth', 'not_found')) await this.redactions.confirm(shop);
    else
      this.timers.log.warn(
        { shop, err: errorLine(refusal) },
        'the shop cannot be asked now; the next round tries again',
      );
    // The next round erases the rows. By then no process works with the store, which would write new ones.
    return false;
  }

  /** The error with which the shop refuses; null when it answers. */
  async #ask(storeKey: string): Promise<CodedError | null> {
    const store = this.connections.findStore(storeKey);
    if (store === undefined) return new CodedError('misconfigured', 'the store is not connected');
    try {
      await store.connector.probe();
      return null;
    } catch (error) {
      if (error instanceof CodedError) return error;
      throw error;
    }
  }

  async #drop({ shop, storeKey: store }: StoreInstallationEntity, why: string): Promise<false> {
    await this.redactions.drop(shop);
    this.timers.log.info({ shop, store }, why);
    return false;
  }
}
