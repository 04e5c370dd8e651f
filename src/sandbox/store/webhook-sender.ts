import { createHmac, randomUUID } from 'node:crypto';
import { postEvent } from '../post.js';

export interface WebhookSenderOptions {
  readonly shop: string;
  readonly apiVersion: string;
  /** Key of the signature: the app's client secret. */
  readonly secret: string;
  readonly now: () => Date;
}

export interface WebhookMessage {
  readonly topic: string;
  readonly uri: string;
  readonly body: string;
}

/** Sends signed deliveries, each once. The real store repeats what got no 2xx, eight times within four hours. */
export class WebhookSender {
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly options: WebhookSenderOptions) {}

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

  private async deliver({ uri, topic, body }: WebhookMessage): Promise<void> {
    const { secret, shop, apiVersion, now } = this.options;
    const headers = {
      'content-type': 'application/json',
      'x-shopify-topic': topic,
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
      'x-shopify-shop-domain': shop,
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-event-id': randomUUID(),
      'x-shopify-triggered-at': now().toISOString(),
      'x-shopify-api-version': apiVersion,
    };
    await postEvent(uri, headers, body, this.stopping.signal);
  }
}
