import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, dashboardUrl, type DashboardAddress } from '../config/index.js';
import { BACKOFF } from '../domain/backoff.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { NotificationRepository, type DueNotification } from '../persistence/notification.repository.js';
import { Connections } from '../connections/connections.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';
import { judge } from './conditions.js';
import { messageOf } from './message.js';
import { OUTGOING_WEBHOOK, type OutgoingWebhook } from './outgoing-webhook.js';

/** Longer than the time limit of a post, so that two senders never send the same change at once. */
const LEASE_MS = 30_000;
const MOST_PER_ROUND = 50;

/**
 * Notifies people of changes. It reads the rows, records which conditions began and ended, and posts each change.
 * Several replicas may do so at once: rows decide who sends, and another process sends the change of a sender that
 * died. A change is sent twice only when the outcome of the first attempt is unknown.
 */
@Injectable()
export class Announcer {
  readonly #log: Logger;

  constructor(
    private readonly connections: Connections,
    private readonly notifications: NotificationRepository,
    @Inject(OUTGOING_WEBHOOK) private readonly webhook: OutgoingWebhook,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    @Inject(APP_CONFIG) private readonly config: DashboardAddress,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'notifications' });
  }

  /** Aborting `signal` ends the round after the current message. Aborting a request would leave its outcome unknown. */
  async round(signal: AbortSignal): Promise<void> {
    const { connections, notifications } = this;
    const minCredits = new Map(
      connections.workspaces.map(({ key, settings }) => [key, settings.generation.minCreditsRemaining]),
    );
    await notifications.look(
      {
        stores: connections.stores.map(({ key }) => key),
        workspaces: connections.workspaces.map(({ key }) => key),
      },
      (facts) => judge(facts, { minCredits }),
    );
    for (let sent = 0; sent < MOST_PER_ROUND && !signal.aborted; sent += 1) {
      const lease = randomUUID();
      const due = await notifications.take(lease, LEASE_MS);
      if (due === null || !(await this.#announce(due, lease))) return;
    }
  }

  /** False when the receiver refused it. The round ends, because the other messages would fail, too. */
  async #announce(row: DueNotification, lease: string): Promise<boolean> {
    const { notifications, webhook, metrics, config } = this;
    const what = { condition: row.kind, subject: row.subject, phase: row.phase };
    try {
      await webhook.post(messageOf(row, row.phase, dashboardUrl(config)));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const random = (): number => this.clock.random();
      const delayMs = BACKOFF.notification.delayMs(row.attempts, random, error.retryAfterMs);
      await notifications.postpone(row.id, lease, delayMs);
      metrics.notifications.inc({ outcome: 'failed' });
      this.#log.warn(
        { ...what, err: errorLine(error) },
        'the receiver did not accept a notification; it is sent again later',
      );
      return false;
    }
    await notifications.announced(row, lease);
    metrics.notifications.inc({ outcome: 'sent' });
    this.#log.info(what, 'a notification was sent');
    return true;
  }
}
