import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { RunningStoreSandbox } from './index.js';
import { call, productsCsv, sandbox, stopSandboxes } from '../../../test/support/sandbox/store-caller.js';

const CREATE = `mutation C($topic: WebhookSubscriptionTopic!, $sub: WebhookSubscriptionInput!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: $sub) { webhookSubscription { id topic uri apiVersion { handle } } userErrors { field message } } }`;
const ID = 'gid://shopify/Product/8000000000001';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const servers: Server[] = [];

/** A receiver that answers the given statuses in turn, then 200. */
async function receiver(...statuses: number[]): Promise<{ uri: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.writeHead(statuses.shift() ?? 200).end();
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { uri: `http://127.0.0.1:${port}/hook`, received };
}

interface Created {
  readonly webhookSubscription: { readonly id: string } | null;
  readonly userErrors: readonly { readonly field: readonly string[] | null; readonly message: string }[];
}

async function subscribe(
  store: RunningStoreSandbox,
  topic: string,
  sub: Record<string, unknown>,
): Promise<Created> {
  return (await call<{ webhookSubscriptionCreate: Created }>(store, CREATE, { topic, sub })).body.data
    .webhookSubscriptionCreate;
}

afterEach(async () => {
  await stopSandboxes();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('deliveries', () => {
  it('announce products that are created, updated and deleted, signed over the raw body', async () => {
    const { uri, received } = await receiver();
    const store = await sandbox({ webhooks: { secret: 'hush' } });
    for (const topic of ['PRODUCTS_CREATE', 'PRODUCTS_UPDATE', 'PRODUCTS_DELETE'])
      await subscribe(store, topic, { uri });
    store.loadCsv(productsCsv(1));
    await store.idle();
    store.products.merchantEdit(ID, { title: 'Edited' });
    await store.idle();
    store.products.delete(ID);
    await store.idle();

    expect(received.map(({ headers }) => headers['x-shopify-topic'])).toEqual([
      'products/create',
      'products/update',
      'products/delete',
    ]);
    for (const { headers, body } of received) {
      expect(headers['x-shopify-hmac-sha256']).toBe(
        createHmac('sha256', 'hush').update(body).digest('base64'),
      );
      expect(headers).toMatchObject({
        'x-shopify-shop-domain': store.shop,
        'x-shopify-api-version': '2026-10',
        'content-type': 'application/json',
      });
    }
    expect(new Set(received.map(({ headers }) => headers['x-shopify-webhook-id'])).size).toBe(3);
    expect(JSON.parse(received[1]!.body)).toMatchObject({
      id: 8_000_000_000_001,
      admin_graphql_api_id: ID,
      title: 'Edited',
      status: 'active',
      variants: [{ sku: 'SKU-1' }],
    });
    expect(JSON.parse(received[2]!.body)).toEqual({ id: 8_000_000_000_001 });
  });

  it('echo the writes of the app itself, but not writes that change nothing', async () => {
    const { uri, received } = await receiver();
    const store = await sandbox();
    store.loadCsv(productsCsv(1));
    await subscribe(store, 'PRODUCTS_UPDATE', { uri });
    for (const title of ['New', 'New']) {
      await call(
        store,
        `mutation { productUpdate(product: { id: "${ID}", title: "${title}" }) { product { id } } }`,
      );
    }
    await store.idle();
    expect(received).toHaveLength(1);
  });

  it('carry only the fields that the subscription includes', async () => {
    const { uri, received } = await receiver();
    const store = await sandbox();
    await subscribe(store, 'PRODUCTS_CREATE', { uri, includeFields: ['id', 'updated_at'] });
    store.loadCsv(productsCsv(1));
    await store.idle();
    expect(Object.keys(JSON.parse(received[0]!.body) as object)).toEqual(['id', 'updated_at']);
  });

  it('are repeated with the same id and body until they are accepted, and every attempt is in the ledger', async () => {
    const { uri, received } = await receiver(503, 500);
    const store = await sandbox({ webhooks: { retryDelaysMs: [1, 1, 1] } });
    await subscribe(store, 'PRODUCTS_CREATE', { uri });
    store.loadCsv(productsCsv(1));
    await store.idle();
    expect(store.ledger.deliveries.map((delivery) => delivery.status)).toEqual([503, 500, 200]);
    expect(
      new Set(received.map(({ headers, body }) => `${String(headers['x-shopify-webhook-id'])} ${body}`)).size,
    ).toBe(1);
  });

  it('to nobody end in the ledger without a status', async () => {
    const { uri } = await receiver();
    const server = servers.at(-1)!;
    server.close();
    await once(server, 'close');
    const store = await sandbox();
    await subscribe(store, 'PRODUCTS_CREATE', { uri });
    store.loadCsv(productsCsv(1));
    await store.idle();
    expect(store.ledger.deliveries).toMatchObject([{ topic: 'products/create', uri, status: null }]);
  });
});

describe('subscriptions', () => {
  const uri = 'https://sync.example.com/webhooks';

  it('are listed by topic and address, and removed', async () => {
    const store = await sandbox();
    const { webhookSubscription } = await subscribe(store, 'PRODUCTS_UPDATE', { uri });
    await subscribe(store, 'PRODUCTS_DELETE', { uri });
    const list = async (): Promise<unknown> =>
      (
        await call<{ webhookSubscriptions: { nodes: unknown } }>(
          store,
          '{ webhookSubscriptions(first: 9, topics: [PRODUCTS_UPDATE]) { nodes { id topic uri } } }',
        )
      ).body.data.webhookSubscriptions.nodes;
    expect(await list()).toEqual([{ id: webhookSubscription!.id, topic: 'PRODUCTS_UPDATE', uri }]);
    const remove = `mutation { webhookSubscriptionDelete(id: "${webhookSubscription!.id}") { deletedWebhookSubscriptionId userErrors { message } } }`;
    expect((await call(store, remove)).body.data['webhookSubscriptionDelete']).toEqual({
      deletedWebhookSubscriptionId: webhookSubscription!.id,
      userErrors: [],
    });
    expect(await list()).toEqual([]);
    expect((await call(store, remove)).body.data).toMatchObject({
      webhookSubscriptionDelete: { deletedWebhookSubscriptionId: null, userErrors: [expect.anything()] },
    });
  });

  it('exist once for a topic and address: the second is refused at callbackUrl', async () => {
    const store = await sandbox();
    await subscribe(store, 'PRODUCTS_UPDATE', { uri });
    const { webhookSubscription, userErrors } = await subscribe(store, 'PRODUCTS_UPDATE', { uri });
    expect(webhookSubscription).toBeNull();
    expect(userErrors).toEqual([
      {
        field: ['webhookSubscription', 'callbackUrl'],
        message: 'Address for this topic has already been taken',
      },
    ]);
    expect((await subscribe(store, 'PRODUCTS_UPDATE', { uri, format: 'XML' })).userErrors).toEqual([]);
  });

  it.each(['http://sync.example.com/hook', 'nowhere', ''])(
    'are refused for the address %j',
    async (address) => {
      const { userErrors } = await subscribe(await sandbox(), 'PRODUCTS_UPDATE', { uri: address });
      expect(userErrors).toHaveLength(1);
    },
  );
});
