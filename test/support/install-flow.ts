import { openPage } from './opened-page.js';

/** A merchant installs the app in the sandbox store. Returns the status of the last page. */
export async function installApp(url: string, shop: string): Promise<number> {
  const { location, cookie } = await openPage(`${url}/shopify/install?shop=${shop}`);
  const consent = new URL(location);
  const agreed = await openPage(`${consent.origin}${consent.pathname}`, {
    method: 'POST',
    body: consent.searchParams,
  });
  return (await openPage(agreed.location, { headers: { cookie } })).status;
}
