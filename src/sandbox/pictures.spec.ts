import { expect, it } from '@jest/globals';
import { startStoreSandbox } from './store/index.js';
import { startWooCommerceSandbox } from './woocommerce/index.js';

it.each([
  ['Shopify', startStoreSandbox],
  ['WooCommerce', startWooCommerceSandbox],
])('pictures of %s are drawn from their names, each the same every time', async (_kind, start) => {
  const store = await start();
  try {
    const answer = await fetch(`${store.url}/pictures/catalogue/oak-tray-1.jpg?width=96`);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    const drawn = await answer.text();
    expect(drawn).toContain('>O</text>');
    expect(await (await fetch(`${store.url}/pictures/oak-tray-1.jpg`)).text()).toBe(drawn);
    const hostile = await fetch(`${store.url}/pictures/%3Cscript%3E.jpg`, { redirect: 'manual' });
    expect(hostile.status).not.toBe(200);
  } finally {
    await store.stop();
  }
});
