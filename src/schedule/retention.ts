import { Inject, Injectable } from '@nestjs/common';
import { RetentionRepository } from '../persistence/retention.repository.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';

/** Rows per statement, which takes some tens of milliseconds. */
const STEP = 2_000;

/** Deliveries are repeated for minutes and tasks are polled for a day, so nothing needs older rows to go on. */
const KEPT_DAYS = 90;

/** Removes settled history that is older than 90 days, and what processes that died have left. */
@Injectable()
export class Retention {
  readonly #log: Logger;
  readonly #end = new AbortController();

  constructor(
    private readonly rows: RetentionRepository,
    @Inject(Clock) private readonly clock: Pick<Clock, 'sleep'>,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'schedule' });
  }

  /** One pass. It pauses as long as it works, to leave the database to running syncs. */
  async pass(): Promise<void> {
    const { signal } = this.#end;
    if (signal.aborted) return;
    const removed = await this.rows.remove(KEPT_DAYS, STEP, async (tookMs) => {
      await this.clock.sleep(Math.ceil(tookMs), signal).catch(() => undefined); // stopped: no need to rest
      return !signal.aborted;
    });
    if (Object.keys(removed).length > 0)
      this.#log.info({ removed }, `history of more than ${String(KEPT_DAYS)} days was removed`);
  }

  /** Ends a pass after the current statement. */
  stop(): void {
    this.#end.abort();
  }
}
