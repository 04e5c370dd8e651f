import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryEntry, Ledger } from './ledger.js';

export interface WebhookSenderOptions {
  readonly shop: string;
  readonly apiVersion: string;
  /** Key of the signature: the app's client secret. */
  readonly secret: string;
  /** Waits before further attempts of a delivery that got no 2xx. The real store makes eight within four hours. */
  readonly retryDelaysMs: readonly number[];
  readonly timeoutMs: number;
  readonly now: () => Date;
}

export interface WebhookMessage {
  readonly topic: string;
  readonly uri: string;
  readonly body: string;
}

type Outcome = Pick<DeliveryEntry, 'status' | 'failure'>;

/** Sends signed deliveries and writes every attempt into the ledger. Each retry carries the first attempt's id, time and body. */
export class WebhookSender {
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly options: WebhookSenderOptions,
    private readonly ledger: Ledger,
  ) {}

  send(message: WebhookMessage): void {
    const delivery = this.deliver(message).finally(() => this.underWay.delete(delivery));
    this.underWay.add(delivery);
  }

  /** Resolves once every delivery has been accepted or given up. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.idle();
  }

  private async deliver(message: WebhookMessage): Promise<void> {
    const webhookId = randomUUID();
    const headers = this.headersOf(message, webhookId);
    for (const waitMs of [0, ...this.options.retryDelaysMs]) {
      if (waitMs > 0 && !(await this.wait(waitMs))) return;
      const outcome = await this.attempt(message, headers);
      if (this.stopping.signal.aborted) return;
      this.ledger.deliveries.push({ at: this.options.now(), ...message, webhookId, ...outcome });
      const { status } = outcome;
      if (status !== null && status >= 200 && status < 300) return;
    }
  }

  private async attempt({ uri, body }: WebhookMessage, headers: Record<string, string>): Promise<Outcome> {
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(this.options.timeoutMs)]);
    try {
      const response = await fetch(uri, { method: 'POST', headers, body, signal, redirect: 'manual' });
      await response.body?.cancel();
      return { status: response.status, failure: null };
    } catch (error) {
      // A receiver that is not there or too slow is a normal outcome here; the ledger keeps it and a retry may follow.
      return { status: null, failure: String(error) };
    }
  }

  private async wait(waitMs: number): Promise<boolean> {
    try {
      await delay(waitMs, undefined, { signal: this.stopping.signal });
      return true;
    } catch (error) {
      if (this.stopping.signal.aborted) return false;
      throw error;
    }
  }

  private headersOf({ topic, body }: WebhookMessage, webhookId: string): Record<string, string> {
    return {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-hmac-sha256': createHmac('sha256', this.options.secret).update(body).digest('base64'),
      'x-shopify-shop-domain': this.options.shop,
      'x-shopify-webhook-id': webhookId,
      'x-shopify-event-id': randomUUID(),
      'x-shopify-triggered-at': this.options.now().toISOString(),
      'x-shopify-api-version': this.options.apiVersion,
    };
  }
}
