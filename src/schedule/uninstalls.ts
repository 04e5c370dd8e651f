import { Injectable } from '@nestjs/common';
import { Connections } from '../connections/connections.js';
import { CodedError, errorLine, isCoded } from '../domain/errors.js';
import type { StoreInstallationEntity } from '../persistence/entities/index.js';
import { SidePauseRepository } from '../persistence/side-pause.repository.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { Logger } from '../runtime/logger.js';

const UNINSTALLED = 'the merchant uninstalled the app: the store is paused until it is installed again';
const UNSURE = 'an event says that the merchant uninstalled the app, and the store cannot be asked';

/**
 * Checks uninstall events: a store that refuses its token has uninstalled the app, and the token is forgotten. Where the token works, the
 * event was the late retry of an earlier uninstall. Safe in any number of replicas at once.
 */
@Injectable()
export class Uninstalls {
  readonly #log: Logger;

  constructor(
    private readonly installations: StoreInstallationRepository,
    private readonly pauses: SidePauseRepository,
    private readonly connections: Connections,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'install' });
  }

  async pass(): Promise<void> {
    const told = await this.installations.takeToldUninstalls();
    await Promise.all(told.map((installation) => this.#settle(installation)));
  }

  async #settle(installation: StoreInstallationEntity): Promise<void> {
    const { storeKey } = installation;
    const store = this.connections.findStore(storeKey);
    if (store === undefined) return;
    try {
      await store.connector.probe();
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      if (!isCoded(error, 'auth')) {
        await this.#pause(storeKey, `${UNSURE}: ${errorLine(error)}`);
        return;
      }
      if (await this.installations.forget(installation)) await this.#pause(storeKey, UNINSTALLED);
      return;
    }
    await this.installations.stillInstalled(installation);
    this.#log.info({ store: storeKey }, 'the store still has the app installed: an uninstall event was late');
  }

  async #pause(store: string, reason: string): Promise<void> {
    await this.pauses.store.pause(store, { scope: 'everything', code: 'credentials_refused', reason });
    this.#log.warn({ store }, reason);
  }
}
