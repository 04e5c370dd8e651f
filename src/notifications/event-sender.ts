import { Inject, Injectable } from '@nestjs/common';
import { signWebhook } from '../catalog/webhook-signature.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { LifecycleEventRepository } from '../persistence/lifecycle-event.repository.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';
import { Connections } from '../connections/connections.js';
import type { OutgoingPost } from './outgoing-webhook.js';
import { sendDue, type Outgoing } from './sending.js';

/** Injection token of the receiver: `notifications.events`. */
export const EVENT_RECEIVER = Symbol('EVENT_RECEIVER');

export interface EventReceiver {
  readonly post: OutgoingPost;
  readonly secret: string;
}

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

  async round(signal: AbortSignal): Promise<void> {
    await this.events.look(this.connections.stores.map(({ key }) => key));
    await this.events.forgetOld();
    await sendDue(() => this.#take(), signal, { metrics: this.metrics, clock: this.clock, log: this.#log });
  }

  async #take(): Promise<Outgoing | null> {
    const { events, receiver } = this;
    const event = await events.take();
    if (event === null) return null;
    const { id, kind, store, facts, at, attempts } = event;
    const body = JSON.stringify({ id, type: kind, at: at.toISOString(), store, data: facts });
    return {
      what: 'a lifecycle event',
      facts: { event: id },
      attempt: attempts,
      post: () => receiver.post(body, signWebhook(receiver.secret, body, this.clock.now())),
      settle: () => events.settle(id),
      postpone: (delayMs) => (attempts >= MOST_ATTEMPTS ? events.settle(id) : events.postpone(id, delayMs)),
    };
  }
}
