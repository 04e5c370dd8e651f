import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { errorLine } from '../domain/errors.js';
import { Logger } from '../runtime/logger.js';
import { Shutdown } from '../runtime/shutdown.js';
import { Announcer } from './announcer.js';
import { messages } from './messages.js';

const EVERY_MS = 5_000;

/** Rounds of one process never overlap, so that a slow receiver gets one message at a time. Rows keep several processes apart. */
@Injectable()
export class AnnouncerTimer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #log: Logger;
  #round: Promise<void> | null = null;

  constructor(
    private readonly announcer: Announcer,
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
    this.registry.addInterval('notifications', setInterval(round, EVERY_MS));
    // An earlier process may have found changes that it did not send.
    round();
  }

  /** Awaits the message that is being sent (ten seconds at most), so that it need not be sent again. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#round;
  }

  async #guardedRound(): Promise<void> {
    try {
      await this.announcer.round(this.shutdown.signal);
    } catch (error) {
      this.#log.warn({ err: errorLine(error) }, messages.roundFailed);
    }
  }
}
