import { createHmac, randomBytes } from 'node:crypto';
import { openPage } from './opened-page.js';
import { startTestStore, type TestStore } from './sandbox/test-store.js';

/** The shop of the merchant who installs the app. */
export const SHOP = 'merchant.myshopify.com';
export const APP = { clientId: 'app-of-the-tests', clientSecret: 'app-secret-canary-0123456789abcdef' };

/** The merchant's store: the app has no token of it before its installation. */
export function startMerchantStore(options: Parameters<typeof startTestStore>[0] = {}): Promise<TestStore> {
  return startTestStore({ ...APP, shop: SHOP, accessToken: null, throttle: false, ...options });
}

/** The settings with which the merchant of this store can install the app. No schedule starts a run. */
export function installable(
  { url }: TestStore,
  server: object,
  auth = APP,
): Readonly<Record<string, unknown>> {
  return {
    server,
    storeTemplate: {
      ...{ workspace: 'default', endpoint: url, auth },
      schedule: { cron: '0 0 29 2 *' },
    },
  };
}

/** A merchant installs the app in the sandbox store. Returns the status of the last page. */
export async function installApp(url: string): Promise<number> {
  const { location, cookie } = await openPage(`${url}/shopify/install?shop=${SHOP}`);
  const consent = new URL(location);
  const agreed = await openPage(`${consent.origin}${consent.pathname}`, {
    method: 'POST',
    body: consent.searchParams,
  });
  return (await openPage(agreed.location, { headers: { cookie } })).status;
}

/** Sends a signed event of the merchant's store. */
export function sendEvent(
  url: string,
  body: string,
  topic: string,
  more: Record<string, string> = {},
): Promise<Response> {
  const headers = {
    'x-shopify-hmac-sha256': createHmac('sha256', APP.clientSecret).update(body).digest('base64'),
    'x-shopify-topic': topic,
    'x-shopify-webhook-id': randomBytes(8).toString('hex'),
    ...more,
  };
  return fetch(`${url}/webhooks/shopify/merchant`, { method: 'POST', headers, body });
}
