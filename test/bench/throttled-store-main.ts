import { createInterface } from 'node:readline';
import { startTestStore } from '../support/sandbox/test-store.js';

// `throttled-store-main.ts SHOP PRODUCTS CAPACITY RATE`: the store of the sandbox in a process of its own, with a real bucket. "report" on stdin prints what was asked of it.

const [shop = '', products = '0', capacity = '2000', restoreRate = '100'] = process.argv.slice(2);
const store = await startTestStore({
  shop,
  throttle: { capacity: Number(capacity), restoreRate: Number(restoreRate) },
});
const ids: string[] = [];
for (let number = 1; number <= Number(products); number++) {
  const { gid } = store.products.create({
    title: `Lamp ${String(number)}`,
    handle: `lamp-${String(number)}`,
    descriptionHtml: '<p>Plain.</p>',
  });
  ids.push(gid);
}
process.stdout.write(`up ${JSON.stringify({ url: store.url, accessToken: store.accessToken, ids })}\n`);
createInterface({ input: process.stdin }).on('line', () => {
  const { requests } = store;
  const at = requests.map((request) => request.at.getTime());
  process.stdout.write(
    `report ${JSON.stringify({
      points: requests.reduce((sum, request) => sum + request.points, 0),
      throttled: requests.filter((request) => request.throttled).length,
      seconds: (Math.max(...at) - Math.min(...at)) / 1000,
      writes: store.mutations.filter(({ name }) => name === 'productUpdate').length,
      requests: requests.length,
    })}\n`,
  );
});
