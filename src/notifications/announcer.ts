import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type PublicAddress } from '../config/index.js';
import { RETRY_DELAYS_MS, retryDelayMs } from '../domain/backoff.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { NotificationRepository, type DueNotification } from '../persistence/notification.repository.js';
import { Sites } from '../sites/sites.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';
import { judge } from './conditions.js';
import { messageOf } from './message.js';
import { OUTGOING_WEBHOOK, type OutgoingWebhook } from './outgoing-webhook.js';

/** Longer than a post may take, so that two senders never have the same change at once. */
const LEASE_MS = 30_000;
/** Once the steps are used up: a receiver that is gone for a night hears of it in the morning. */
const LONGEST_WAIT_MS = 1_800_000;
const MOST_PER_ROUND = 50;

/**
 * Tells people of what changed: looks at the rows, records which conditions began and ended, and posts each change. Any number
 * of replicas may do so at once: rows decide who sends, and a change whose sender died is sent by the next one. It is told
 * twice only where nobody knows whether the receiver heard it.
 */
@Injectable()
export class Announcer {
  readonly #log: Logger;

  constructor(
    private readonly sites: Sites,
    private readonly notifications: NotificationRepository,
    @Inject(OUTGOING_WEBHOOK) private readonly webhook: OutgoingWebhook,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    @Inject(APP_CONFIG) private readonly config: PublicAddress,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'notifications' });
  }

  /** Aborting `signal` ends the round after the change that is being sent: cut off, nobody would know whether it was heard. */
  async round(signal: AbortSignal): Promise<void> {
    const { sites, notifications } = this;
    const minCredits = new Map(
      sites.workspaces.map(({ key, settings }) => [key, settings.generation.minCreditsRemaining]),
    );
    await notifications.look(
      {
        stores: sites.stores.map(({ key }) => key),
        workspaces: sites.workspaces.map(({ key }) => key),
      },
      (facts) => judge(facts, { minCredits }),
    );
    for (let sent = 0; sent < MOST_PER_ROUND && !signal.aborted; sent += 1) {
      const lease = randomUUID();
      const due = await notifications.take(lease, LEASE_MS);
      if (due === null || !(await this.#tell(due, lease))) return;
    }
  }

  /** False when the receiver did not take it: the others would fare no better now. */
  async #tell(row: DueNotification, lease: string): Promise<boolean> {
    const { notifications, webhook, metrics, config } = this;
    const what = { condition: row.kind, subject: row.subject, tells: row.tells };
    try {
      await webhook.post(messageOf(row, row.tells, config.server.publicUrl));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      await notifications.postpone(row.id, lease, this.#waitMs(row.attempts, error));
      metrics.notifications.inc({ outcome: 'failed' });
      this.#log.warn({ ...what, err: errorLine(error) }, 'a notification was not taken; it is tried again');
      return false;
    }
    await notifications.told(row, lease);
    metrics.notifications.inc({ outcome: 'sent' });
    this.#log.info(what, 'a notification was sent');
    return true;
  }

  #waitMs(attempts: number, error: CodedError): number {
    const step = Math.min(attempts, RETRY_DELAYS_MS.length);
    const wait = retryDelayMs(step, () => this.clock.random(), error.retryAfterMs) ?? LONGEST_WAIT_MS;
    return Math.min(wait, Math.max(LONGEST_WAIT_MS, error.retryAfterMs ?? 0));
  }
}
