import { afterAll, expect, it } from '@jest/globals';
import { configDirectory, store, woocommerce } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

it.each([
  [
    store('writeBack: { fields: { description: shortDescription } }'),
    /^stores\.s\.writeBack\.fields\.description: expected one of title, .* in a store of kind shopify/,
  ],
  [
    woocommerce('writeBack: { fields: { brand: vendor } }'),
    /^stores\.s\.writeBack\.fields\.brand: expected one of title, descriptionHtml, shortDescription, .* kind woocommerce/,
  ],
  [woocommerce('writeBack: { locales: [fr] }'), /^stores\.s\.writeBack\.locales: expected empty/],
  [woocommerce('filter: { query: "tag:new" }'), /^stores\.s\.filter\.query: expected empty/],
])('what a kind of store does not have is refused in %j', (content, expected) => {
  expect(files.refusal(content)).toMatch(expected);
});
