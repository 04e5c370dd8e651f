import { connectionOf } from './connections.js';
import type { ConnectionArgs } from './connections.js';
import { gid } from './model.js';
import type { SandboxProduct } from './model.js';
import { apiVersionView } from './api-versions.js';
import { requireId } from './require-id.js';
import type { ProductEvent, ShopState } from './state.js';
import { webhookPayload } from './webhook-payload.js';
import type { WebhookSender } from './webhook-sender.js';

export interface WebhookSubscription {
  readonly id: number;
  readonly topic: string;
  readonly uri: string;
  readonly format: 'JSON' | 'XML';
  readonly includeFields: readonly string[];
  readonly name: string | null;
  readonly createdAt: Date;
}

interface SubscriptionInput {
  readonly uri?: string | null;
  readonly callbackUrl?: string | null;
  readonly filter?: string | null;
  readonly format?: 'JSON' | 'XML' | null;
  readonly includeFields?: readonly string[] | null;
  readonly name?: string | null;
}

const EVENT_TOPICS: Readonly<Record<ProductEvent, string>> = {
  create: 'PRODUCTS_CREATE',
  update: 'PRODUCTS_UPDATE',
  delete: 'PRODUCTS_DELETE',
};
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The app's webhook subscriptions. Product events are really sent; the other topics can be subscribed to and stay silent.
 * Plain http is refused, as in the real store, except to this machine.
 */
export class WebhookSubscriptions {
  private readonly byId = new Map<number, WebhookSubscription>();

  constructor(
    private readonly state: ShopState,
    private readonly sender: WebhookSender,
    private readonly apiVersion: string,
  ) {
    state.onProductEvent((event, product) => {
      this.publish(event, product);
    });
  }

  create({
    topic,
    webhookSubscription: input,
  }: {
    topic: string;
    webhookSubscription: SubscriptionInput;
  }): object {
    const uri = input.uri ?? input.callbackUrl ?? '';
    const problem = this.problemOf(topic, uri, input);
    if (problem) return { webhookSubscription: null, userErrors: [problem] };
    const subscription: WebhookSubscription = {
      id: this.state.nextId('webhook'),
      topic,
      uri,
      format: input.format ?? 'JSON',
      includeFields: input.includeFields ?? [],
      name: input.name ?? null,
      createdAt: this.state.now(),
    };
    this.byId.set(subscription.id, subscription);
    return { webhookSubscription: this.view(subscription), userErrors: [] };
  }

  delete({ id }: { id: string }): object {
    const deleted = this.byId.delete(requireId(id, 'WebhookSubscription'));
    if (deleted) return { deletedWebhookSubscriptionId: id, userErrors: [] };
    const userErrors = [{ field: ['id'], message: 'Webhook subscription does not exist' }];
    return { deletedWebhookSubscriptionId: null, userErrors };
  }

  get({ id }: { id: string }): object | null {
    const subscription = this.byId.get(requireId(id, 'WebhookSubscription'));
    return subscription ? this.view(subscription) : null;
  }

  list(
    args: ConnectionArgs & { topics?: readonly string[] | null; uri?: string | null; format?: string | null },
  ): object {
    const wanted = [...this.byId.values()].filter((each) => {
      if (args.topics && !args.topics.includes(each.topic)) return false;
      return (!args.uri || args.uri === each.uri) && (!args.format || args.format === each.format);
    });
    const sorted = args.reverse ? wanted.toReversed() : wanted;
    return connectionOf(
      sorted,
      args,
      ({ id }) => ({ id, value: id }),
      (each) => this.view(each),
    );
  }

  all(): readonly WebhookSubscription[] {
    return [...this.byId.values()];
  }

  /** The last event of an installation, which ends its subscriptions. */
  endInstallation(): void {
    const ending = this.all().filter(({ topic }) => topic === 'APP_UNINSTALLED');
    this.byId.clear();
    const shop = this.state.shop;
    const body = JSON.stringify({ id: 1, name: shop.split('.')[0], domain: shop, myshopify_domain: shop });
    for (const { uri } of ending) this.sender.send({ topic: 'app/uninstalled', uri, body });
  }

  private publish(event: ProductEvent, product: SandboxProduct): void {
    for (const { topic, uri, format, includeFields } of this.byId.values()) {
      if (topic !== EVENT_TOPICS[event] || format !== 'JSON') continue;
      const payload = Object.entries(webhookPayload(event, product, this.state));
      const sent = payload.filter(([field]) => includeFields.length === 0 || includeFields.includes(field));
      const body = JSON.stringify(Object.fromEntries(sent));
      this.sender.send({ topic: `products/${event}`, uri, body });
    }
  }

  private problemOf(
    topic: string,
    uri: string,
    input: SubscriptionInput,
  ): { field: string[]; message: string } | null {
    const atAddress = ['webhookSubscription', 'callbackUrl'];
    const url = URL.canParse(uri) ? new URL(uri) : null;
    if (!url) return { field: atAddress, message: 'Address is invalid' };
    const secure = url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.includes(url.hostname));
    if (!secure) return { field: atAddress, message: 'Address protocol http:// is not supported' };
    if (input.filter)
      return {
        field: ['webhookSubscription', 'filter'],
        message: 'The sandbox store has no webhook filters',
      };
    const format = input.format ?? 'JSON';
    const taken = this.all().some(
      (each) => each.topic === topic && each.uri === uri && each.format === format,
    );
    if (taken) return { field: atAddress, message: 'Address for this topic has already been taken' };
    const named = this.all().some((each) => each.name?.toLowerCase() === input.name?.toLowerCase());
    if (input.name && named)
      return { field: ['webhookSubscription', 'name'], message: 'Name has already been taken' };
    return null;
  }

  private view(subscription: WebhookSubscription): object {
    return {
      ...subscription,
      __typename: 'WebhookSubscription',
      id: gid('WebhookSubscription', subscription.id),
      legacyResourceId: String(subscription.id),
      filter: null,
      updatedAt: subscription.createdAt,
      apiVersion: apiVersionView(this.apiVersion, true),
    };
  }
}
