import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, AppConfig } from '../config/index.js';
import { RetentionRepository } from '../persistence/retention.repository.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';

/** Rows per statement, which takes some tens of milliseconds. */
const STEP = 2_000;

/** Removes history that is older than `database.keepDays`, and what processes that died have left; with 0 all history is kept. */
@Injectable()
export class Retention {
  readonly #keepDays: number;
  readonly #log: Logger;
  readonly #end = new AbortController();

  constructor(
    private readonly rows: RetentionRepository,
    @Inject(APP_CONFIG) config: { readonly database: Pick<AppConfig['database'], 'keepDays'> },
    @Inject(Clock) private readonly clock: Pick<Clock, 'sleep'>,
    logger: Logger,
  ) {
    this.#keepDays = config.database.keepDays;
    this.#log = logger.child({ stage: 'schedule' });
  }

  /** One pass. It pauses as long as it works, to leave the database to running syncs. */
  async pass(): Promise<void> {
    const { signal } = this.#end;
    if (signal.aborted) return;
    const removed = await this.rows.remove(this.#keepDays, STEP, async (tookMs) => {
      await this.clock.sleep(Math.ceil(tookMs), signal).catch(() => undefined); // stopped: no need to rest
      return !signal.aborted;
    });
    if (Object.keys(removed).length > 0)
      this.#log.info({ removed, keepDays: this.#keepDays }, 'history beyond database.keepDays was removed');
  }

  /** Ends a pass after the current statement. */
  stop(): void {
    this.#end.abort();
  }
}
