import { Inject, Injectable } from '@nestjs/common';
import { errorLine } from '../domain/errors.js';
import { AuditRepository, type NewAuditEntry } from '../persistence/audit.repository.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';

const HOUR_MS = 3_600_000;
/** Rows of one actor in an hour and process: anybody can make attempts. Metrics and the log have the rest. */
const MOST_AN_HOUR = 100;
/** The actor of an attempt without a known token. */
export const NOBODY = 'nobody';

/** Records attempts that were refused. A refusal is answered whether it could be recorded or not. */
@Injectable()
export class RefusedAttempts {
  readonly #log: Logger;
  #hour = 0;
  #rows = new Map<string, number>();

  constructor(
    @Inject(AuditRepository) private readonly audit: Pick<AuditRepository, 'record'>,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'audit' });
  }

  async record(entry: NewAuditEntry): Promise<void> {
    if (!this.#hasRoom(entry.actor)) return;
    try {
      await this.audit.record(entry, 'refused');
    } catch (error) {
      this.#log.warn({ err: errorLine(error) }, 'a refused attempt could not be recorded');
    }
  }

  #hasRoom(actor: string): boolean {
    const hour = Math.floor(this.clock.now().getTime() / HOUR_MS);
    if (hour !== this.#hour) this.#rows.clear();
    this.#hour = hour;
    const rows = this.#rows.get(actor) ?? 0;
    this.#rows.set(actor, rows + 1);
    return rows < MOST_AN_HOUR;
  }
}
