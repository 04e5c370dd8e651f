import { connectionOf } from './connections.js';
import type { ConnectionArgs } from './connections.js';
import { gid, requireId } from './model.js';
import type { SandboxProduct } from './model.js';
import type { ProductEvent, ShopState } from './state.js';
import type { WebhookSender } from './webhook-sender.js';

export interface WebhookSubscription {
  readonly id: number;
  readonly topic: string;
  readonly uri: string;
}

const EVENT_TOPICS: Readonly<Record<ProductEvent, string>> = {
  create: 'PRODUCTS_CREATE',
  update: 'PRODUCTS_UPDATE',
  delete: 'PRODUCTS_DELETE',
};

/** The app's webhook subscriptions. Product events are really sent; the other topics can be subscribed to and stay silent. */
export class WebhookSubscriptions {
  private readonly byId = new Map<number, WebhookSubscription>();

  constructor(
    private readonly state: ShopState,
    private readonly sender: WebhookSender,
  ) {
    state.onProductEvent((event, product) => {
      this.publish(event, product);
    });
  }

  create({
    topic,
    webhookSubscription,
  }: {
    topic: string;
    webhookSubscription: { uri?: string | null };
  }): object {
    const uri = webhookSubscription.uri ?? '';
    if (this.all().some((each) => each.topic === topic && each.uri === uri)) {
      const message = 'Address for this topic has already been taken';
      const userErrors = [{ field: ['webhookSubscription', 'callbackUrl'], message }];
      return { webhookSubscription: null, userErrors };
    }
    const subscription: WebhookSubscription = { id: this.state.nextId('webhook'), topic, uri };
    this.byId.set(subscription.id, subscription);
    return { webhookSubscription: view(subscription), userErrors: [] };
  }

  delete({ id }: { id: string }): object {
    const deleted = this.byId.delete(requireId(id, 'WebhookSubscription'));
    if (deleted) return { deletedWebhookSubscriptionId: id, userErrors: [] };
    const userErrors = [{ field: ['id'], message: 'Webhook subscription does not exist' }];
    return { deletedWebhookSubscriptionId: null, userErrors };
  }

  list({ topics, ...args }: ConnectionArgs & { topics?: readonly string[] | null }): object {
    const wanted = this.all().filter(({ topic }) => !topics || topics.includes(topic));
    return connectionOf(wanted, args, ({ id }) => ({ id, value: id }), view);
  }

  all(): readonly WebhookSubscription[] {
    return [...this.byId.values()];
  }

  /** The last event of an installation, which ends its subscriptions. Returns its body. */
  endInstallation(): string {
    const ending = this.all().filter(({ topic }) => topic === 'APP_UNINSTALLED');
    this.byId.clear();
    const shop = this.state.shop;
    const body = JSON.stringify({ id: 1, name: shop.split('.')[0], domain: shop, myshopify_domain: shop });
    for (const { uri } of ending) this.sender.send({ topic: 'app/uninstalled', uri, body });
    return body;
  }

  private publish(event: ProductEvent, product: SandboxProduct): void {
    const body = JSON.stringify(payloadOf(event, product));
    for (const { topic, uri } of this.byId.values())
      if (topic === EVENT_TOPICS[event]) this.sender.send({ topic: `products/${event}`, uri, body });
  }
}

/** The part of the older REST resource by which a reader knows the product. A deleted one is its id alone. */
function payloadOf(event: ProductEvent, product: SandboxProduct): object {
  const { id, gid: admin_graphql_api_id, title, handle, descriptionHtml: body_html } = product;
  if (event === 'delete') return { id };
  return { admin_graphql_api_id, body_html, handle, id, title, updated_at: product.changedAt.toISOString() };
}

function view({ id, topic, uri }: WebhookSubscription): object {
  return { id: gid('WebhookSubscription', id), topic, uri };
}
