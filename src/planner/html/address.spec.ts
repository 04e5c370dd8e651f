import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { actingAddress } from '../../../test/support/acting-address.js';
import { hostOfAddress } from '../../domain/web-address.js';
import { judgedAddress, type AddressUse, type AllowedHosts } from './address.js';

const SHOP = 'www.tessera.example';
const HOSTS: AllowedHosts = {
  pictures: new Set([SHOP, 'tessera.myshopify.com', 'cdn.shopify.com', 'images.example:8443']),
  embeds: new Set([SHOP, 'www.youtube.com', 'shop.myshopify.com']),
};
const USES: readonly AddressUse[] = ['link', 'picture', 'embed'];

function isRefused(address: string, use: AddressUse): boolean {
  return 'refused' in judgedAddress(address, use, HOSTS);
}

/** Ways to write the path `/cart/clear`. */
const ACTION_PATHS = `
  /cart /cart/clear /cart/ /CART/Clear //cart/clear ///cart//clear /./cart/clear /x/../cart/clear
  /x/%2e%2e/cart/clear /x/%252e%252e/cart/clear /x/..%2fcart/clear /x/..%5ccart/clear /cart.js /cart.json
  /cart/clear.js /cart;x /cart;jsessionid=1/clear /;x/cart /cart%3bx /cart%20 /%20cart /cart%00
  /%63art/clear /%2563art /%252563art /%25252525252563art /ca%72t%2fclear /%E2%80%8Bcart /ｃａｒｔ/clear
  /cart%ff
  /de/cart/clear /de-at/cart/clear /DE-at/cart/clear /zh-hans/cart/clear /zh-Hans-CN/cart/clear
  /es-419/cart /pt_br/cart /fil/cart /en-us/de/cart /12345678/cart
  /cart/40123:1 /cart?x=1 /cart#x /cart/add?id=1&quantity=9 /cart/change?line=1&quantity=0 /checkout
  /checkouts/cn/1 /1234/checkouts/1 /account/logout /account /de/account/logout /pages/x/logout
  /auth/sign_out /login?checkout_url=/x /discount/CODE /discount/CODE?redirect=/cart/clear
  /discount/CODE?redirect=//evil.example /de/discount/CODE /apps/loyalty/redeem /a/loyalty/redeem /tools/x
  /community/x /admin/products /challenge /password /orders/1/authenticate /1234/orders/abc
  /services/login_with_shop /wallets/checkouts
  /?preview_theme_id=1 /products/x?PREVIEW_theme_id=1 /products/x?%70review_theme_id=1
  /products/x?preview%255ftheme_id=1 /products/x?preview_theme_id[]=1 /products/x?a=1;preview_theme_id=1
  /products/x?_ab=0&_fd=0&_sc=1 /products/x?discount=FREE /products/x?return_to=/x
  /pages/go?to=/cart/clear /pages/go?to=https%3A%2F%2Fwww.tessera.example%2Fcart%2Fclear
  /pages/go?to=%252fcart%252fclear
`
  .trim()
  .split(/\s+/);

/** Hosts that are never requested for a generated text. */
const REFUSED_HOSTS = `
  localhost LOCALHOST localhost. shop.localhost cart intranet printer.local router.lan
  metadata.google.internal x.home.arpa 127.0.0.1 127.0.0.1. 127.1 127.0.1 2130706433 0x7f000001 0x7f.1
  0177.0.0.1 017700000001 0 0.0.0.0 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 8.8.8.8
  １２７.0.0.1 127。0。0。1 %31%32%37.0.0.1 127.0.0.1:8080 [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [64:ff9b::7f00:1] [fe80::1] [fd00::1] [2001:db8::1] 127.0.0.1.nip.io localtest.me a.lvh.me
  user:password@www.tessera.example user@www.tessera.example @www.tessera.example :@www.tessera.example
  www.tessera.example@localhost tessera.myshopify.com TESSERA.MyShopify.com tessera.myshopify.com.
  tessera.myshopify.com:443 tessera.myshopify.com:8443 tessera%2emyshopify.com ｔessera.myshopify.com
  myshopify.com admin.shopify.com accounts.shopify.com shopify.com shop.app abc.shopifypreview.com
`
  .trim()
  .split(/\s+/);

describe('an address that makes a shop act', () => {
  it.each(ACTION_PATHS)('is no link, no picture and no frame: %s', (path) => {
    for (const use of USES)
      for (const host of [SHOP, `${SHOP}.`, SHOP.toUpperCase(), `${SHOP}:443`])
        expect([use, host, isRefused(`https://${host}${path}`, use)]).toEqual([use, host, true]);
  });

  it.each(['http:', 'https:', 'HTTPS:', ''])('is refused with the scheme “%s”', (scheme) => {
    expect(isRefused(`${scheme}//${SHOP}/cart/clear`, 'link')).toBe(true);
    expect(isRefused(`${scheme}//${SHOP}:80//cart/clear`, 'picture')).toBe(true);
  });

  it('is refused in every combination of these tricks', () => {
    fc.assert(
      fc.property(actingAddress, fc.constantFrom(...USES), (address, use) => {
        expect(isRefused(address, use)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a host', () => {
  it.each(REFUSED_HOSTS)('that is never linked to, and loads nothing: %s', (host) => {
    for (const use of USES)
      for (const scheme of ['https:', 'http:', ''])
        expect([use, scheme, isRefused(`${scheme}//${host}/a.jpg`, use)]).toEqual([use, scheme, true]);
  });

  it('is the same in whatever spelling', () => {
    for (const address of [
      'https://A.example/x',
      '//a.example',
      'http://a.example:80/',
      'https://a.example.:443/',
    ])
      expect(hostOfAddress(address)).toBe('a.example');
    expect(hostOfAddress('https://a.example:8443/x')).toBe('a.example:8443');
    for (const address of ['/x', 'a.jpg', 'data:image/png;base64,AA==', 'https://127.0.0.1/x', ''])
      expect(hostOfAddress(address)).toBeNull();
  });
});

it.each([
  '',
  ' ',
  '/pages/care',
  '#reviews',
  '/\\www.tessera.example/x',
  'https:/www.tessera.example/x',
  'https:///x.example/y',
  'https://',
  'http:x.example',
  '\\\\x.example/y',
  'java\u00adscript:alert(1)',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://a.exam\tple/',
  'https://a.example/\u200bx',
  'tel:*%2306%23',
  'tel:*21*1%23',
  `https://a.example/${'a'.repeat(5000)}`,
])('an address that is no complete one is refused: %j', (address) => {
  for (const use of USES) expect([use, isRefused(address, use)]).toEqual([use, true]);
});

describe('an address in good faith', () => {
  it.each([
    'https://example.com',
    'https://example.com/x?a=1&b=2#c',
    'https://example.com:8443/x',
    'https://bücher.example/Übersicht',
    'https://example.com/100%25-wool',
    'https://example.com/de/pages/cart-sizes',
    'https://example.com/products/cart',
    'https://example.com/blogs/news/account-of-a-day',
    'https://example.com/search?q=cart',
    'https://example.com/x?ref=a/b',
    'mailto:a@example.com',
    'tel:+43123456',
  ])('stays a link as it is spelled: %s', (address) => {
    expect(judgedAddress(address, 'link', HOSTS)).toEqual({ address });
  });

  it.each([
    ['//example.com/a', 'https://example.com/a'],
    ['http://example.com/a', 'https://example.com/a'],
    ['http://example.com:80/a', 'https://example.com/a'],
    ['HTTPS://example.com/a', 'https://example.com/a'],
    [' https://example.com/a ', 'https://example.com/a'],
  ])('of %j is written with https', (given, address) => {
    expect(judgedAddress(given, 'link', HOSTS)).toEqual({ address });
  });

  it.each([
    ['https://cdn.shopify.com/s/files/1/0001/files/lamp.jpg?v=1', true],
    ['https://www.tessera.example/cdn/shop/files/lamp.jpg', true],
    ['https://www.tessera.example:443/lamp.jpg', true],
    ['//WWW.tessera.example./lamp.jpg', true],
    ['https://tessera.myshopify.com/cdn/shop/files/lamp.jpg', true],
    ['https://tessera.myshopify.com/lamp.jpg', false],
    ['https://images.example:8443/lamp.jpg', true],
    ['https://images.example/lamp.jpg', false],
    ['https://tracker.example/lamp.jpg', false],
    ['https://www.tessera.example.evil.example/lamp.jpg', false],
    ['https://evilcdn.shopify.com/lamp.jpg', false],
  ])('of a picture at %s: %s', (address, isKept) => {
    expect(!isRefused(address, 'picture')).toBe(isKept);
  });

  it('of a picture waits for its host to be judged while no host is known', () => {
    const unknown = { ...HOSTS, pictures: 'any' } as const;
    expect(judgedAddress('https://tracker.example/a.jpg', 'picture', unknown)).toHaveProperty('address');
    expect(judgedAddress('https://tracker.example/cart/clear', 'picture', unknown)).toHaveProperty('refused');
  });

  it('never throws, and never grows', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()),
        fc.constantFrom(...USES),
        (text, use) => {
          const judged = judgedAddress(text, use, HOSTS);
          if ('address' in judged) expect(judged.address.length).toBeLessThanOrEqual(text.length + 6);
        },
      ),
    );
  });
});
