import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { CodedError } from '../domain/errors.js';
import type { GateFinding } from '../domain/gate-finding.js';
import type { WriteBackEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { Clock } from '../runtime/clock.js';
import { Remembered } from '../runtime/remembered.js';
import { timedOut, within } from '../runtime/time-limit.js';
import { Connections } from '../connections/connections.js';
import { findingsOf } from './gatekeeper.js';
import type { Decided } from './journal.js';
import { LiveDecision } from './live-decision.js';

/** What the writer would do with a write-back now, if no person had released anything. */
export interface Look {
  readonly decided: Decided;
  /** The findings of the store's gates in the texts that would be written. */
  readonly findings: readonly GateFinding[];
}

/** A page, its frames and its approval read one after the other, and must see the same state. */
export const SAME_PAGE_MS = 10_000;
/** Lists look at many products. The rest of a store's rate limit belongs to its work. */
const LOOKS_AT_ONCE = 4;
const MOST_REMEMBERED = 500;
const ANSWER_WITHIN_MS = 4_000;

/** Looks at the live store for people who judge texts, and remembers each look for a while. Reads only. */
@Injectable()
export class LiveLooks {
  readonly #remembered: Remembered<Look>;
  readonly #limit = pLimit(LOOKS_AT_ONCE);

  constructor(
    private readonly connections: Connections,
    private readonly links: LinkRepository,
    private readonly decision: LiveDecision,
    @Inject(Clock) clock: Pick<Clock, 'now'>,
  ) {
    this.#remembered = new Remembered(SAME_PAGE_MS, () => clock.now().getTime(), MOST_REMEMBERED);
  }

  /**
   * A look that is at most `maxAgeMs` old. Throws a coded error when the store cannot be read within four seconds, or has no such product.
   * A failed look is forgotten, so that the next one tries again.
   */
  async at(row: WriteBackEntity, maxAgeMs: number): Promise<Look> {
    const key = `${row.id}:${String(row.version)}`;
    const look = this.#remembered.get(key, () => this.#limit(() => this.#look(row)), maxAgeMs);
    const late = timedOut(`the store did not answer within ${String(ANSWER_WITHIN_MS / 1000)} seconds`);
    return within(ANSWER_WITHIN_MS, look, late);
  }

  async #look(row: WriteBackEntity): Promise<Look> {
    const link = await this.links.get(row.externalId);
    if (link === null) throw new CodedError('not_found', 'the product is no longer linked');
    const store = this.connections.store(row.store);
    const decided = await this.decision.about(store, row, link, { released: false });
    if (decided === null) throw new CodedError('not_found', 'the product was deleted in the store');
    return { decided, findings: await findingsOf(store, decided) };
  }
}
