import { Inject, Injectable } from '@nestjs/common';
import { signWebhook } from '../catalog/webhook-signature.js';
import { BACKOFF } from '../domain/backoff.js';
import { CodedError, errorLine } from '../domain/errors.js';
import { Metrics } from '../observability/metrics/metrics.js';
import type { LifecycleEventEntity } from '../persistence/entities/index.js';
import { LifecycleEventRepository } from '../persistence/lifecycle-event.repository.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';
import { Connections } from '../connections/connections.js';
import type { OutgoingPost } from './outgoing-webhook.js';

/** Injection token of the receiver: `notifications.events`. */
export const EVENT_RECEIVER = Symbol('EVENT_RECEIVER');

export interface EventReceiver {
  readonly post: OutgoingPost;
  readonly secret: string;
}

const MOST_PER_ROUND = 50;
/** Waits grow up to half an hour, so this many attempts take about three days. */
const MOST_ATTEMPTS = 150;

/**
 * Sends lifecycle events to `notifications.events`. The body is signed as the catalog signs its deliveries: HMAC-SHA256 of
 * `timestamp.body`. An event may arrive twice when the outcome of an attempt is unknown; its id is the same then.
 */
@Injectable()
export class EventSender {
  readonly #log: Logger;

  constructor(
    @Inject(Connections) private readonly connections: Pick<Connections, 'stores'>,
    private readonly events: LifecycleEventRepository,
    @Inject(EVENT_RECEIVER) private readonly receiver: EventReceiver,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'notifications' });
  }

  /** Aborting `signal` ends the round after the current event. */
  async round(signal: AbortSignal): Promise<void> {
    await this.events.look(this.connections.stores.map(({ key }) => key));
    await this.events.forgetOld();
    for (let sent = 0; sent < MOST_PER_ROUND && !signal.aborted; sent += 1) {
      const due = await this.events.take();
      if (due === null || !(await this.#send(due))) return;
    }
  }

  /** False when the receiver refused it. The round ends, because the other events would fail, too. */
  async #send(event: LifecycleEventEntity): Promise<boolean> {
    const { id, kind, store, facts, at } = event;
    const body = JSON.stringify({ id, type: kind, at: at.toISOString(), store, data: facts });
    const what = { event: id };
    try {
      await this.receiver.post(body, signWebhook(this.receiver.secret, body, this.clock.now()));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      this.metrics.notifications.inc({ outcome: 'failed' });
      this.#log.warn(
        { ...what, err: errorLine(error) },
        'the receiver did not accept a lifecycle event; it is sent again later',
      );
      if (event.attempts >= MOST_ATTEMPTS) await this.events.settle(id);
      else {
        const random = (): number => this.clock.random();
        const delayMs = BACKOFF.notification.delayMs(event.attempts, random, error.retryAfterMs);
        await this.events.postpone(id, delayMs);
      }
      return false;
    }
    await this.events.settle(id);
    this.metrics.notifications.inc({ outcome: 'sent' });
    return true;
  }
}
