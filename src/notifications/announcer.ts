import { escapeText } from '../domain/text.js';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, dashboardUrl, type DashboardAddress } from '../config/index.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { NotificationRepository } from '../persistence/notification.repository.js';
import { Connections } from '../connections/connections.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';
import { judge } from './conditions.js';
import { messageOf } from './message.js';
import type { OutgoingPost } from './outgoing-webhook.js';
import { sendDue, type Outgoing } from './sending.js';

/** Injection token of the post to `notifications.webhookUrl`. */
export const NOTIFICATION_POST = Symbol('NOTIFICATION_POST');

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
    @Inject(NOTIFICATION_POST) private readonly post: OutgoingPost,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    @Inject(APP_CONFIG) private readonly config: DashboardAddress,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'notifications' });
  }

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
    await sendDue(() => this.#take(), signal, { metrics: this.metrics, clock: this.clock, log: this.#log });
  }

  async #take(): Promise<Outgoing | null> {
    const { notifications, config } = this;
    const lease = randomUUID();
    const row = await notifications.take(lease);
    if (row === null) return null;
    const { id, kind, subject, phase, attempts } = row;
    // Incoming webhooks of Slack take markup.
    const text = escapeText(messageOf(row, phase, dashboardUrl(config)));
    return {
      what: 'a notification',
      facts: { condition: kind, subject, phase },
      attempt: attempts,
      post: () => this.post(JSON.stringify({ text })),
      settle: () => notifications.announced(row, lease),
      postpone: (delayMs) => notifications.postpone(id, lease, delayMs),
    };
  }
}
