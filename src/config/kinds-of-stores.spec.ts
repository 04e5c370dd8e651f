import { afterAll, expect, it } from '@jest/globals';
import { configDirectory, store, woocommerce } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

it.each([
  [
    'a text that another kind of store has',
    store('writeBack: { fields: { description: shortDescription } }'),
    /^stores\.s\.writeBack\.fields\.description: expected one of title, .* in a store of kind shopify/,
  ],
  [
    'a field that this kind of store does not write',
    woocommerce('writeBack: { fields: { brand: vendor } }'),
    /^stores\.s\.writeBack\.fields\.brand: expected one of title, descriptionHtml, shortDescription, .* kind woocommerce/,
  ],
  [
    'a further language of a kind of store that has one',
    woocommerce('writeBack: { locales: [fr] }'),
    /^stores\.s\.writeBack\.locales: expected empty/,
  ],
  [
    'a search of a kind of store that has none',
    woocommerce('filter: { query: "tag:new" }'),
    /^stores\.s\.filter\.query: expected empty/,
  ],
])('%s is refused', (_what, content, expected) => {
  expect(files.refusal(content)).toMatch(expected);
});
