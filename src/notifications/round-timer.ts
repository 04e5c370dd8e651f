import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { errorLine } from '../domain/errors.js';
import type { Logger } from '../runtime/logger.js';
import { Rounds } from '../runtime/rounds.js';
import type { Shutdown } from '../runtime/shutdown.js';

const EVERY_MS = 5_000;

/** One round looks at the rows, and sends what is due. */
export interface Sender {
  /** Aborting `signal` ends the round at its next safe point. */
  round(signal: AbortSignal): Promise<void>;
}

/** A slow receiver gets one message at a time. Rows keep several processes apart. */
export class RoundTimer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #rounds: Rounds;

  constructor(sender: Sender, { signal }: Shutdown, logger: Logger) {
    const log = logger.child({ stage: 'notifications' });
    this.#rounds = new Rounds(
      async () => {
        if (!signal.aborted) await sender.round(signal);
      },
      (error) => {
        log.warn({ err: errorLine(error) }, 'notifications could not be sent; the next round tries again');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.#rounds.start(EVERY_MS);
    // An earlier process may have found changes that it did not send.
    this.#rounds.now();
  }

  /** Awaits the message that is being sent (ten seconds at most), so that it need not be sent again. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#rounds.stop();
  }
}
