import { afterAll, describe, expect, it } from '@jest/globals';
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

describe('two WooCommerce shops', () => {
  const both = (one: string, other: string): string =>
    `${woocommerce(`url: ${one}`)}  t:${woocommerce(`url: ${other}`).split('  s:')[1] ?? ''}`;

  it('may be in two folders of one host, as those of a WordPress network are', () => {
    const { config } = files.load(both('https://shop.test/de/', 'https://shop.test/fr'));
    expect(Object.values(config.stores).map(({ shop }) => shop)).toEqual(['shop.test/de', 'shop.test/fr']);
  });

  it.each(['https://shop.test/de', 'https://SHOP.test:443/de/'])('are refused as one: %s', (other) => {
    expect(files.refusal(both('https://shop.test/de/', other))).toMatch(
      /^stores\.t\.url: expected a shop that no other store has \(stores\.s has it\)/,
    );
  });
});

describe('further locales', () => {
  it.each([['en-GB'], ['en-gb']])('are refused where one is the workspace’s own, spelt %s', (own) => {
    const content = store('writeBack: { locales: [fr, en-GB] }').replace(
      'auth: { apiToken: token } }',
      `auth: { apiToken: token }, locale: ${own} }`,
    );
    expect(files.refusal(content)).toMatch(
      /^stores\.s\.writeBack\.locales\[1\]: expected a language besides that of workspaces\.w\.locale/,
    );
  });

  it('are refused where one is named twice', () => {
    expect(files.refusal(store('writeBack: { locales: [fr, pt-BR, pt-br] }'))).toMatch(
      /^stores\.s\.writeBack\.locales: .*each locale once/,
    );
  });

  it('may be any but the workspace’s own', () => {
    const { config } = files.load(store('writeBack: { locales: [fr, pt-BR] }'));
    expect(config.stores['s']?.writeBack.locales).toEqual(['fr', 'pt-BR']);
  });
});

const tokens = (name: string): string =>
  `server: { tokens: { ${name}: { token: secret, role: viewer } } }\nworkspaces: {}\nstores: {}\n`;

it('named tokens have any name but that of the admin token, whose role their sessions would get', () => {
  expect(files.load(tokens('ann')).config.server.tokens['ann']?.role).toBe('viewer');
  expect(files.refusal(tokens('admin'))).toMatch(/^server\.tokens: .*another name than admin/);
});

it.each([
  [
    'of the administrator and a viewer',
    `adminToken: ${'a'.repeat(20)}, tokens: { ann: { token: ${'a'.repeat(20)}, role: viewer } }`,
    /server\.tokens\.ann\.token: expected another token than server\.adminToken/,
  ],
  [
    'of two holders',
    'tokens: { ann: { token: secret, role: viewer }, bob: { token: secret, role: admin } }',
    /server\.tokens\.bob\.token: expected another token than server\.tokens\.ann\.token/,
  ],
])('a token of two names %s is refused', (_whose, server, refusal) => {
  expect(files.refusal(`server: { ${server} }\nworkspaces: {}\nstores: {}\n`)).toMatch(refusal);
});

describe('an encryption key without randomness', () => {
  const random = '0123456789abcdef'.repeat(4);
  it.each(['0'.repeat(64), 'ab'.repeat(32), `${random},${'0'.repeat(64)}`, `${random},`])(
    'such as %s is refused',
    (key) => {
      const text = `server: { encryptionKey: "${key}" }\nworkspaces: {}\nstores: {}\n`;
      expect(files.refusal(text)).toMatch(/server\.encryptionKey: expected 32 random bytes/);
    },
  );
});
