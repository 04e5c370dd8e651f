import { BACKOFF } from '../domain/backoff.js';
import { CodedError, errorLine } from '../domain/errors.js';
import type { Metrics } from '../observability/metrics/metrics.js';
import type { Clock } from '../runtime/clock.js';
import type { Logger } from '../runtime/logger.js';

const MOST_PER_ROUND = 50;

/** A message that is due. */
export interface Outgoing {
  /** In words, for the log. */
  readonly what: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** This attempt, counted from 1. */
  readonly attempt: number;
  post(): Promise<void>;
  /** It was accepted. */
  settle(): Promise<unknown>;
  postpone(delayMs: number): Promise<unknown>;
}

interface Surroundings {
  readonly metrics: Pick<Metrics, 'notifications'>;
  readonly clock: Pick<Clock, 'random'>;
  readonly log: Logger;
}

/**
 * Sends what is due, one after the other. A refusal ends the round, because the other messages would be refused, too. Aborting `signal`
 * ends it after the current message: aborting a request would leave its outcome unknown.
 */
export async function sendDue(
  take: () => Promise<Outgoing | null>,
  signal: AbortSignal,
  { metrics, clock, log }: Surroundings,
): Promise<void> {
  for (let sent = 0; sent < MOST_PER_ROUND && !signal.aborted; sent += 1) {
    const due = await take();
    if (due === null) return;
    const { what, facts, attempt } = due;
    try {
      await due.post();
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      await due.postpone(BACKOFF.notification.delayMs(attempt, () => clock.random(), error.retryAfterMs));
      metrics.notifications.inc({ outcome: 'failed' });
      log.warn(
        { ...facts, err: errorLine(error) },
        `the receiver did not accept ${what}; it is sent again later`,
      );
      return;
    }
    await due.settle();
    metrics.notifications.inc({ outcome: 'sent' });
    log.info(facts, `${what} was sent`);
  }
}
