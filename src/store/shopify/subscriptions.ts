import { CodedError, isCoded } from '../../domain/errors.js';
import type { ShopifyClient } from './client.js';
import { requireCursor } from './details.js';
import { WEBHOOK_CREATE, WEBHOOKS } from './documents.js';
import { webhookCreateData, webhooksData } from './schemas.js';

const TOPICS = ['PRODUCTS_CREATE', 'PRODUCTS_UPDATE', 'PRODUCTS_DELETE', 'APP_UNINSTALLED'] as const;

/**
 * Ensures that the store sends product events, and the end of the installation, to `uri`, with one subscription per topic. Existing subscriptions are
 * read, also after a refusal or an unknown outcome, because another replica may have been faster. Throws
 * `misconfigured` when the store refuses the address.
 */
export async function ensureSubscriptions(client: ShopifyClient, uri: string): Promise<void> {
  const present = await subscribedTopics(client, uri);
  for (const topic of TOPICS) {
    if (present.has(topic)) continue;
    const refusal = await subscribe(client, topic, uri);
    if (refusal !== null && !(await subscribedTopics(client, uri)).has(topic)) throw refusal;
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

async function subscribedTopics(client: ShopifyClient, uri: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let after: string | null = null;
  for (;;) {
    const { data } = await client.run(WEBHOOKS, { first: 100, after, topics: TOPICS }, webhooksData);
    const { nodes, pageInfo } = data.webhookSubscriptions;
    for (const node of nodes) if (node.uri === uri) found.add(node.topic);
    if (!pageInfo.hasNextPage) return found;
    after = requireCursor(pageInfo);
  }
}
