import { describe, expect, it } from '@jest/globals';
import { page } from '../../../test/support/store/products.js';
import { data, type Reply, ScriptedStore } from '../../../test/support/store/scripted-store.js';
import { failureOf } from '../../../test/support/failure-of.js';

const store = ScriptedStore.forEachTest();

describe('subscribing to product events', () => {
  const URI = 'https://sync.example.com/webhooks/shopify/main';
  const created = (userErrors: object[] = []): Reply =>
    data({
      webhookSubscriptionCreate: {
        webhookSubscription: userErrors.length > 0 ? null : { id: 'x' },
        userErrors,
      },
    });
  const refusedAddress = (message: string): Reply =>
    created([{ field: ['webhookSubscription', 'callbackUrl'], message }]);
  const listed = (topics: readonly string[]): Reply =>
    data({ webhookSubscriptions: page(topics.map((topic) => ({ id: topic, topic, uri: URI }))) });

  it('creates what is missing and nothing twice', async () => {
    const topics = ['PRODUCTS_UPDATE'];
    store.answerWith(({ operation, variables }) => {
      if (operation === 'Webhooks') return listed(topics);
      topics.push(String(variables['topic']));
      return created();
    });
    const connector = store.connector();
    await connector.subscribe(URI, null);
    await connector.subscribe(URI, null);
    expect(topics).toEqual([...['PRODUCTS_UPDATE', 'PRODUCTS_CREATE', 'PRODUCTS_DELETE', 'APP_UNINSTALLED']]);
  });

  it.each([
    ['a refusal', refusedAddress('Address for this topic has already been taken')],
    ['no answer', { cutAfterBytes: 0 }],
  ])('is content after %s when the subscription is there', async (_name, reply) => {
    let asked = false;
    store.answerWith(({ operation }) => {
      if (operation === 'Webhooks')
        return listed(
          asked
            ? ['PRODUCTS_CREATE', 'PRODUCTS_UPDATE', 'PRODUCTS_DELETE', 'APP_UNINSTALLED']
            : ['PRODUCTS_UPDATE', 'PRODUCTS_DELETE', 'APP_UNINSTALLED'],
        );
      asked = true;
      return reply;
    });
    await store.connector().subscribe(URI, null);
    expect(store.operations()).toEqual(['Webhooks', 'WebhookCreate', 'Webhooks']);
  });

  it('fails as misconfigured when the store refuses the address', async () => {
    store.answerWith(({ operation }) =>
      operation === 'Webhooks' ? listed([]) : refusedAddress('Address is invalid'),
    );
    expect(await failureOf(store.connector().subscribe(URI, null))).toMatchObject({ code: 'misconfigured' });
  });
});
