import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { errorLine } from '../domain/errors.js';
import { ShopRedactionRepository } from '../persistence/shop-redaction.repository.js';
import { Logger } from '../runtime/logger.js';

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
      let rows = 0;
      for (let erased = -1; erased !== 0 && !this.#stopped; rows += erased)
        erased = await this.redactions.erase(request, STEP);
      if (this.#stopped) return;
      await this.redactions.end(request.shop, rows);
      this.#log.info({ shop: request.shop, store: request.storeKey, rows }, 'all rows of a shop were erased');
    }
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
