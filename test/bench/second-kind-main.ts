import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestShop } from '../support/sandbox/test-shop.js';

// `second-kind-main.ts PRODUCTS`: a shop of so many products, one in five with five variations. Lines of stdin set it up: "slow" lets it
// take the time of the recorded shop for each page, "fast" none.

/** Of a page of 100 of the recorded shop, in milliseconds: products, variations, and the ids of products. */
const PAGE_MS = { products: 355, variations: 290, ids: 257 };

const shop = await startTestShop();
const TEXT = '<p>A lamp of brass with a shade of linen, made by hand and tested twice.</p>\n'.repeat(12);
const count = Number(process.argv[2] ?? '1');
for (let at = 0; at < count; at += 1) {
  const isVariable = at % 5 === 0;
  const { id } = shop.products.create({
    row: { name: `Lamp ${String(at)}`, slug: `lamp-${String(at)}`, description: TEXT },
    sku: `L-${String(at)}`,
    type: isVariable ? 'variable' : 'simple',
  });
  for (let of = 0; isVariable && of < 5; of += 1)
    shop.products.create({
      row: { name: `Size ${String(of)}`, slug: `lamp-${String(at)}-${String(of)}` },
      parentId: id,
      type: 'variation',
      sku: `L-${String(at)}-${String(of)}`,
    });
}

let isSlow = false;
shop.beforeEach(({ path, parameters }) => {
  if (!isSlow || !/^wc\/v3\/(products|variations)$/.test(path)) return;
  const isIds = parameters.get('_fields') === 'id';
  return sleep(isIds ? PAGE_MS.ids : path.endsWith('products') ? PAGE_MS.products : PAGE_MS.variations);
});
createInterface({ input: process.stdin }).on('line', (line) => {
  isSlow = line === 'slow';
  process.stdout.write(`taken ${line}\n`);
});
const { url, consumerKey, consumerSecret } = shop;
process.stdout.write(`up ${JSON.stringify({ url, consumerKey, consumerSecret })}\n`);
