import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { SchedulerRegistry } from '@nestjs/schedule';
import { errorLine } from '../domain/errors.js';
import type { Logger } from '../runtime/logger.js';
import type { Shutdown } from '../runtime/shutdown.js';

const EVERY_MS = 5_000;

/** Work that is done again and again: one round looks at the rows, and sends what is due. */
export interface Rounds {
  /** Aborting `signal` ends the round at its next safe point. */
  round(signal: AbortSignal): Promise<void>;
}

/** Rounds of one process never overlap, so that a slow receiver gets one message at a time. Rows keep several processes apart. */
export class RoundTimer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #log: Logger;
  #round: Promise<void> | null = null;

  /** `name` is the timer's own among all timers of a process. */
  constructor(
    private readonly name: string,
    private readonly rounds: Rounds,
    private readonly registry: SchedulerRegistry,
    private readonly shutdown: Shutdown,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'notifications' });
  }

  onApplicationBootstrap(): void {
    const round = (): void => {
      if (this.shutdown.signal.aborted) return;
      this.#round ??= this.#guardedRound().finally(() => {
        this.#round = null;
      });
    };
    this.registry.addInterval(this.name, setInterval(round, EVERY_MS));
    // An earlier process may have found changes that it did not send.
    round();
  }

  /** Awaits the message that is being sent (ten seconds at most), so that it need not be sent again. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#round;
  }

  async #guardedRound(): Promise<void> {
    try {
      await this.rounds.round(this.shutdown.signal);
    } catch (error) {
      this.#log.warn(
        { err: errorLine(error) },
        'notifications could not be sent; the next round tries again',
      );
    }
  }
}
