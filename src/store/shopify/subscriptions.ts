import { CodedError, isCoded } from '../../domain/errors.js';
import type { ShopifyClient } from './client.js';
import { WEBHOOK_CREATE, WEBHOOK_DELETE, WEBHOOKS } from './documents.js';
import { pagesOf } from './pages.js';
import { webhookCreateData, webhookDeleteData, webhooksData } from './schemas.js';

const TOPICS = ['PRODUCTS_CREATE', 'PRODUCTS_UPDATE', 'PRODUCTS_DELETE', 'APP_UNINSTALLED'] as const;

/**
 * Ensures that the store sends product events, and the end of the installation, to `uri`, with one subscription per topic. Existing subscriptions are
 * read, also after a refusal or an unknown outcome, because another replica may have been faster. Throws
 * `misconfigured` when the store refuses the address.
 */
export async function ensureSubscriptions(client: ShopifyClient, uri: string): Promise<void> {
  const present = await subscriptionsAt(client, uri);
  for (const topic of TOPICS) {
    if (present.has(topic)) continue;
    const refusal = await subscribe(client, topic, uri);
    if (refusal !== null && !(await subscriptionsAt(client, uri)).has(topic)) throw refusal;
  }
}

/** Ends the subscriptions of this app at `uri`. One that is gone already is no error. */
export async function removeSubscriptions(client: ShopifyClient, uri: string): Promise<void> {
  for (const [topic, id] of await subscriptionsAt(client, uri)) {
    const { data } = await client.run(WEBHOOK_DELETE, { id }, webhookDeleteData);
    const [refusal] = data.webhookSubscriptionDelete.userErrors;
    if (refusal === undefined || !(await subscriptionsAt(client, uri)).has(topic)) continue;
    throw new CodedError(
      'conflict',
      `the store did not end the subscription to ${topic}: ${refusal.message}`,
    );
  }
}

async function subscribe(client: ShopifyClient, topic: string, uri: string): Promise<CodedError | null> {
  try {
    const { data } = await client.run(
      WEBHOOK_CREATE,
      { topic, sub: { uri, format: 'JSON' } },
      webhookCreateData,
    );
    const { userErrors } = data.webhookSubscriptionCreate;
    if (userErrors.length === 0) return null;
    const messages = userErrors.map((error) => error.message);
    return new CodedError(
      'misconfigured',
      `the store refused to send ${topic} events: ${messages.join(' ')}`,
    );
  } catch (error) {
    if (isCoded(error) && error.outcomeUnknown) return error;
    throw error;
  }
}

/** The ids of the subscriptions at this address, by topic. */
async function subscriptionsAt(client: ShopifyClient, uri: string): Promise<ReadonlyMap<string, string>> {
  const read = async (after: string | null) => {
    const { data } = await client.run(WEBHOOKS, { first: 100, after, topics: TOPICS }, webhooksData);
    return data.webhookSubscriptions;
  };
  const found = new Map<string, string>();
  for await (const { nodes } of pagesOf(read, (page) => page))
    for (const node of nodes) if (node.uri === uri) found.set(node.topic, node.id);
  return found;
}
