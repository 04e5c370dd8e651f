import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { RestError } from './model.js';
import type { PostEvent, Shop } from './shop.js';
import { timeText } from './shop.js';
import { postView } from './views.js';
import { invalidId } from './writes.js';

export interface WebhookOptions {
  /** How long events wait for the queue; a real shop runs it once a minute at most. */
  readonly queueMs: number;
  readonly timeoutMs: number;
}

interface Webhook {
  readonly id: number;
  name: string;
  topic: string;
  deliveryUrl: string;
  secret: string;
  status: 'active' | 'paused' | 'disabled';
  failures: number;
  /** While no ping has succeeded, each delivery and each saving sends one more. */
  isPinged: boolean;
  readonly createdAt: Date;
}

const TOPICS = ['product.created', 'product.updated', 'product.deleted', 'product.restored'];
const MOST_FAILURES = 6;
const HookBody = z.object({
  name: z.string().optional(),
  topic: z.string().optional(),
  delivery_url: z.string().optional(),
  secret: z.string().optional(),
  status: z.enum(['active', 'paused', 'disabled']).optional(),
});

/** The shop's webhooks: one try for each, in one queue, with the state at delivery. */
export class Webhooks {
  private readonly hooks = new Map<number, Webhook>();
  private readonly queue = new Map<string, { readonly hook: Webhook; readonly id: number }>();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly shop: Shop,
    private readonly options: WebhookOptions,
  ) {
    shop.onEvent((event, id) => this.enqueue(event, id));
  }

  all(): object[] {
    return [...this.hooks.values()].map((hook) => this.view(hook));
  }

  one(id: number): object {
    return this.view(this.required(id));
  }

  async create(body: unknown): Promise<object> {
    const { name, topic = '', delivery_url: url = '', secret, status = 'active' } = HookBody.parse(body);
    if (!TOPICS.includes(topic))
      throw new RestError(400, 'woocommerce_rest_shop_webhook_invalid_topic', 'Webhook topic must be valid.');
    if (!/^https?:/.test(url) || !URL.canParse(url))
      throw new RestError(
        400,
        'woocommerce_rest_shop_webhook_invalid_delivery_url',
        'Webhook delivery URL must be valid.',
      );
    const hook: Webhook = {
      id: this.shop.nextId(),
      name: name ?? `Webhook created on ${timeText(this.shop.now())}`,
      topic,
      deliveryUrl: url,
      secret: secret ?? randomBytes(25).toString('hex'),
      status,
      failures: 0,
      isPinged: false,
      createdAt: this.shop.now(),
    };
    this.hooks.set(hook.id, hook);
    await this.ping(hook);
    return this.view(hook);
  }

  /** An active status does not forget the failures: the next one disables the webhook again. */
  async update(id: number, body: unknown): Promise<object> {
    const hook = this.required(id);
    const { name, topic, delivery_url: url, secret, status } = HookBody.parse(body);
    Object.assign(hook, {
      name: name ?? hook.name,
      topic: topic ?? hook.topic,
      deliveryUrl: url ?? hook.deliveryUrl,
      secret: secret ?? hook.secret,
      status: status ?? hook.status,
    });
    if (!hook.isPinged) await this.ping(hook);
    return this.view(hook);
  }

  remove(id: number, force: boolean): object {
    const hook = this.required(id);
    if (!force)
      throw new RestError(501, 'woocommerce_rest_trash_not_supported', 'Webhooks do not support trashing.');
    this.hooks.delete(id);
    return this.view(hook);
  }

  /** Resolves once everything that was queued has been tried. */
  async idle(): Promise<void> {
    while (this.queue.size > 0 || this.timer) {
      this.run();
      await this.running;
    }
    await this.running;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.queue.clear();
    await this.idle();
  }

  private view(hook: Webhook): object {
    const { id, name, topic, deliveryUrl, status, createdAt } = hook;
    const [resource, event] = topic.split('.');
    return {
      id,
      name,
      status,
      topic,
      resource,
      event,
      hooks: [],
      delivery_url: deliveryUrl,
      date_created: timeText(createdAt, this.shop.offset),
      date_created_gmt: timeText(createdAt),
    };
  }

  private required(id: number): Webhook {
    const hook = this.hooks.get(id);
    if (!hook) throw new RestError(404, 'woocommerce_rest_shop_webhook_invalid_id', 'Invalid ID.');
    return hook;
  }

  /** Equal events that wait become one. */
  private enqueue(event: PostEvent, id: number): void {
    if (this.stopping.signal.aborted) return;
    for (const hook of this.hooks.values())
      if (hook.status === 'active' && hook.topic === `product.${event}`)
        this.queue.set(`${hook.id}:${id}`, { hook, id });
    if (this.queue.size > 0) this.timer ??= setTimeout(() => this.run(), this.options.queueMs);
  }

  private run(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const due = [...this.queue.values()];
    this.queue.clear();
    this.running = this.running.then(async () => {
      for (const { hook, id } of due) await this.deliver(hook, id);
    });
  }

  private async deliver(hook: Webhook, id: number): Promise<void> {
    if (hook.status !== 'active' || !this.hooks.has(hook.id) || this.stopping.signal.aborted) return;
    if (!hook.isPinged) await this.ping(hook);
    const { shop } = this;
    const { topic, deliveryUrl: url, secret } = hook;
    const event = topic.split('.')[1] ?? '';
    const body = JSON.stringify(this.payload(event, id));
    const at = shop.now();
    const second = Math.floor(at.getTime() / 1000);
    const headers = {
      'user-agent': 'WooCommerce/10.5.0 Hookshot (WordPress/6.9.7)',
      'content-type': 'application/json',
      'x-wc-webhook-source': `${shop.homeUrl}/`,
      'x-wc-webhook-topic': topic,
      'x-wc-webhook-resource': 'product',
      'x-wc-webhook-event': event,
      'x-wc-webhook-signature': createHmac('sha256', secret).update(body).digest('base64'),
      'x-wc-webhook-id': String(hook.id),
      // Of the webhook and the second, so that deliveries of one second share it.
      'x-wc-webhook-delivery-id': createHash('sha256')
        .update(`${hook.id}${second}`)
        .digest('hex')
        .slice(0, 32),
    };
    const status = await this.post(url, headers, body, this.options.timeoutMs);
    if (isDelivered(status)) hook.failures = 0;
    else if (hook.failures >= MOST_FAILURES) hook.status = 'disabled';
    else hook.failures += 1;
  }

  /** The product as it is now. One that is gone by now makes a signed error. */
  private payload(event: string, id: number): object {
    const post = this.shop.post(id);
    if (event === 'deleted') return { id };
    return post ? postView(this.shop, post, { context: 'view', tls: false }) : invalidId(404).body();
  }

  private async ping(hook: Webhook): Promise<void> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const status = await this.post(hook.deliveryUrl, headers, `webhook_id=${hook.id}`, 5000);
    hook.isPinged = isDelivered(status);
  }

  private async post(
    url: string,
    headers: Record<string, string>,
    body: string,
    timeoutMs: number,
  ): Promise<number | null> {
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      await response.body?.cancel();
      return response.status;
    } catch {
      // A receiver that is not there or too slow is a normal outcome here.
      return null;
    }
  }
}

function isDelivered(status: number | null): boolean {
  return status !== null && ((status >= 200 && status < 300) || status === 301 || status === 302);
}
