import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { postEvent } from '../post.js';
import { invalidId, RestError } from './model.js';
import type { PostEvent, Shop } from './shop.js';
import { postView } from './views.js';

const NewHook = z.strictObject({
  name: z.string(),
  topic: z.enum(['product.created', 'product.updated', 'product.deleted', 'product.restored']),
  delivery_url: z.url(),
  secret: z.string(),
});
const HookChange = z.strictObject({ status: z.literal('active'), secret: z.string() });

interface Webhook extends z.output<typeof NewHook> {
  readonly id: number;
  status: 'active' | 'disabled';
  failures: number;
}

/** How long events wait for the queue; a real shop runs it once a minute at most. */
const QUEUE_MS = 20;
const MOST_FAILURES = 6;

/** The shop's webhooks: one try for each, in one queue, with the state at delivery. */
export class Webhooks {
  private readonly hooks = new Map<number, Webhook>();
  private readonly queue = new Map<string, { readonly hook: Webhook; readonly id: number }>();
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(private readonly shop: Shop) {
    shop.onEvent((event, id) => this.enqueue(event, id));
  }

  all(): object[] {
    return [...this.hooks.values()].map(view);
  }

  /** The address is greeted by a ping without a signature; nothing depends on its answer. */
  async create(body: object): Promise<object> {
    const hook: Webhook = {
      ...NewHook.parse(body),
      id: this.shop.nextId(),
      status: 'active',
      failures: 0,
    };
    this.hooks.set(hook.id, hook);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await postEvent(hook.delivery_url, headers, `webhook_id=${hook.id}`, this.stopping.signal);
    return view(hook);
  }

  /** An active status does not forget the failures: the next one disables the webhook again. */
  update(id: number, body: object): object {
    return view(Object.assign(this.required(id), HookChange.parse(body)));
  }

  remove(id: number): object {
    const hook = this.required(id);
    this.hooks.delete(id);
    return view(hook);
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
    if (this.queue.size > 0) this.timer ??= setTimeout(() => this.run(), QUEUE_MS);
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
    const { shop } = this;
    const { topic, delivery_url: url, secret } = hook;
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
    const status = await postEvent(url, headers, body, this.stopping.signal);
    const isDelivered = status !== null && status < 400;
    hook.failures = isDelivered ? 0 : hook.failures + 1;
    if (hook.failures > MOST_FAILURES) hook.status = 'disabled';
  }

  /** The product as it is now. One that is gone by now makes a signed error. */
  private payload(event: string, id: number): object {
    const post = this.shop.post(id);
    if (event === 'deleted') return { id };
    return post ? postView(this.shop, post, 'view') : invalidId(404).body();
  }
}

function view({ secret: _secret, failures: _failures, ...shown }: Webhook): object {
  return shown;
}
