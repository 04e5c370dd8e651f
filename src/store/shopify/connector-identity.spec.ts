import { describe, expect, it } from '@jest/globals';
import { data, failureOf, ScriptedStore } from '../../../test/support/store/scripted-store.js';

const store = ScriptedStore.forEachTest();

describe('the identity of a store', () => {
  const whoIs = (myshopifyDomain: string, served: string) => ({
    ...data({
      currentAppInstallation: { accessScopes: [{ handle: 'read_products' }, { handle: 'write_products' }] },
      shop: { name: 'Demo', myshopifyDomain },
      publicApiVersions: [],
    }),
    headers: { 'x-shopify-api-version': served },
  });

  it('says which API version is served in place of the configured one', async () => {
    store.answerWith(() => whoIs('Demo-Store.myshopify.com', '2026-10'));
    const connector = store.connector();
    await expect(connector.probe()).resolves.toMatchObject({
      name: 'Demo',
      servedVersion: null,
      mayWriteProducts: true,
    });
    store.answerWith(() => whoIs('demo-store.myshopify.com', '2027-01'));
    await expect(connector.probe()).resolves.toMatchObject({ servedVersion: '2027-01' });
  });

  it('is refused when another shop answers', async () => {
    store.answerWith(() => whoIs('other.myshopify.com', '2026-10'));
    expect(await failureOf(store.connector().probe())).toMatchObject({
      ...{ code: 'misconfigured', side: 'store' },
      message: expect.stringContaining('other.myshopify.com, not to demo-store.myshopify.com'),
    });
  });
});
