import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../injection.js';
import type { SandboxSettings } from '../settings.js';
import type { Workload } from '../worker.js';
import { DeliveryStore, type DeliveryState, type PendingDelivery } from './delivery-store.js';
import { postOnce } from './post-once.js';
import { signatureHeaders } from './signature.js';
import { WebhookSettings, type WebhookConfiguration } from './webhook-settings.js';

interface Answer {
  readonly httpStatus: number | null;
  readonly error: string | null;
}

/** Sends what is due: docs/catalog-rules.md#delivery. */
@Injectable()
export class DeliveryWorkload implements Workload {
  readonly name = 'deliveries';

  constructor(
    private readonly deliveries: DeliveryStore,
    private readonly webhooks: WebhookSettings,
    @Inject(SETTINGS) private readonly settings: SandboxSettings,
  ) {}

  due(limit: number, running: readonly number[]): Promise<readonly number[]> {
    return this.deliveries.due(limit, running);
  }

  nextDueAt(running: readonly number[]): Promise<Date | null> {
    return this.deliveries.nextDueAt(running);
  }

  async run(id: number, signal: AbortSignal): Promise<void> {
    const delivery = await this.deliveries.pending(id);
    if (delivery === undefined) return;
    // Where to and with which secret is asked at each attempt: a configuration that was corrected serves the retries.
    const configuration = await this.webhooks.current();
    if (configuration?.actions.includes(delivery.action) !== true) {
      await this.deliveries.cancel(id);
      return;
    }
    const at = this.settings.clock();
    // A retry carries the time of the first attempt.
    const answer = await this.send(delivery, configuration, delivery.first_attempt_at ?? at, signal);
    if (answer.httpStatus === null && signal.aborted) return;
    const retryDelayMs = this.settings.retryDelaysMs[delivery.attempts];
    await this.deliveries.record(delivery, {
      at,
      url: configuration.url,
      ...answer,
      state: stateAfter(answer.httpStatus, retryDelayMs !== undefined),
      nextAttemptAt: new Date(this.settings.clock().getTime() + (retryDelayMs ?? 0)),
    });
  }

  private async send(
    delivery: PendingDelivery,
    { url, hmac_secret: secret }: WebhookConfiguration,
    stamp: Date,
    signal: AbortSignal,
  ): Promise<Answer> {
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'catalog-sandbox',
      ...(secret === null ? {} : signatureHeaders(secret, Math.floor(stamp.getTime() / 1000), delivery.body)),
    };
    try {
      const httpStatus = await postOnce(url, headers, delivery.body, this.settings.deliveryTimeoutMs, signal);
      return { httpStatus, error: null };
    } catch (error) {
      return { httpStatus: null, error: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** The next state of a delivery after an attempt; `httpStatus` is null when no response came. */
export function stateAfter(httpStatus: number | null, mayRetry: boolean): DeliveryState {
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) return 'delivered';
  if (httpStatus !== null && httpStatus >= 400 && httpStatus < 500) return 'refused';
  return mayRetry ? 'pending' : 'exhausted';
}
