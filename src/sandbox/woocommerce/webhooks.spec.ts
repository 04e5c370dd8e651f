import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { localServers } from '../../../test/support/local-servers.js';
import type { TestShop } from '../../../test/support/sandbox/test-shop.js';
import { ask, stopWooSandboxes, wooSandbox } from '../../../test/support/sandbox/woocommerce-caller.js';

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const SECRET = 'the secret';
const serve = localServers();
let url: string;
let received: Received[];
let shop: TestShop;

beforeEach(async () => {
  received = [];
  url = await serve((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body });
      response.writeHead(200).end();
    });
  });
});
afterEach(stopWooSandboxes);

async function watched(topics = ['created', 'updated', 'deleted', 'restored']): Promise<void> {
  // Fixed, so that every delivery is of one second.
  shop = await wooSandbox({ clock: () => new Date('2026-11-22T12:00:00Z') });
  for (const topic of topics)
    await ask(shop, 'POST', 'webhooks', {
      body: { name: 'n', topic: `product.${topic}`, delivery_url: url, secret: SECRET },
    });
}

async function delivered(): Promise<[topic: unknown, body: unknown][]> {
  await shop.idle();
  return received
    .splice(0)
    .filter(({ headers }) => headers['x-wc-webhook-topic'] !== undefined)
    .map(({ headers, body }) => [headers['x-wc-webhook-topic'], JSON.parse(body)]);
}

async function created(): Promise<number> {
  const { body } = await ask(shop, 'POST', 'products', { body: { name: 'Hooked', description: 'a\n\nb' } });
  return Number(body['id']);
}

it('a webhook is pinged at once, unsigned, and its secret is never shown (D1)', async () => {
  await watched(['updated']);
  expect(received).toMatchObject([
    {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: expect.stringMatching(/^webhook_id=\d+$/),
    },
  ]);
  expect(received[0]!.headers).not.toHaveProperty('x-wc-webhook-signature');
  const { body } = await ask(shop, 'GET', 'webhooks');
  expect(body).toMatchObject([{ topic: 'product.updated', status: 'active', delivery_url: url }]);
  expect(JSON.stringify(body)).not.toContain(SECRET);
});

describe('a delivery', () => {
  it('is signed over its raw body, which is the product in view (D2, D3, D4)', async () => {
    await watched();
    received.length = 0;
    await created();
    await shop.idle();
    const [{ headers, body }] = received as [Received];
    expect(received).toHaveLength(1);
    expect(headers['x-wc-webhook-signature']).toBe(
      createHmac('sha256', SECRET).update(body).digest('base64'),
    );
    expect(headers).toMatchObject({
      'x-wc-webhook-topic': 'product.created',
      'x-wc-webhook-source': `${shop.url}/`,
    });
    expect(JSON.parse(body)).toMatchObject({ name: 'Hooked', description: '<p>a</p>\n<p>b</p>\n' });
  });

  it('has the state of its time, once for any number of updates, an empty one included (D5)', async () => {
    await watched(['updated']);
    const id = await created();
    await ask(shop, 'PUT', `products/${id}`, { body: {} });
    expect(await delivered()).toHaveLength(1);
    shop.products.edit(id, { name: 'one' });
    shop.products.edit(id, { name: 'two' });
    expect(await delivered()).toMatchObject([['product.updated', { name: 'two' }]]);
  });

  it('of a trashed product bears its id, and a restore by the screen is an update as well (D7)', async () => {
    await watched();
    const id = await created();
    await delivered();
    shop.products.trash(id);
    expect(await delivered()).toEqual([['product.deleted', { id }]]);
    shop.products.restore(id);
    expect((await delivered()).map(([topic]) => topic).sort()).toEqual([
      'product.restored',
      'product.updated',
    ]);
  });
});
