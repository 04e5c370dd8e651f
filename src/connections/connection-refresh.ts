import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { ConfigSource } from '../config/index.js';
import { errorLine } from '../domain/errors.js';
import { Logger } from '../runtime/logger.js';
import { Rounds } from '../runtime/rounds.js';
import { InstalledStores } from './installed-stores.js';
import { ConnectionMaker } from './connection-maker.js';
import { Connections } from './connections.js';

/** A store that another process installed is in work here after this time. */
const EVERY_MS = 10_000;

/** Keeps the stores of this process up to date with the installations in the database. */
@Injectable()
export class ConnectionRefresh implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #log: Logger;
  readonly #rounds = new Rounds(
    () => this.#round(),
    (error) => {
      this.#log.warn(
        { err: errorLine(error) },
        'installed stores could not be read; the next round tries again',
      );
    },
  );

  constructor(
    private readonly source: ConfigSource,
    private readonly installed: InstalledStores,
    private readonly connections: Connections,
    private readonly maker: ConnectionMaker,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'install' });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#reseal();
    this.#rounds.start(EVERY_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }

  /** Connects stores that were installed since the last look. */
  async refresh(): Promise<void> {
    if (!(await this.installed.look())) return;
    this.connections.replace(this.maker.make(this.source.current, this.connections));
  }

  /** Tokens that the previous key sealed get the present one, so that the previous key can go. */
  async #reseal(): Promise<void> {
    if (this.source.current.storeTemplate === undefined) return;
    try {
      const count = await this.installed.tokens.resealAll();
      if (count > 0) this.#log.info({ count }, 'tokens of stores were encrypted under the new key');
    } catch (error) {
      this.#log.error({ err: errorLine(error) }, 'tokens of stores could not be encrypted under the new key');
    }
  }

  async #round(): Promise<void> {
    // Without a template no merchant can install a store.
    if (this.source.current.storeTemplate !== undefined) await this.refresh();
  }
}
