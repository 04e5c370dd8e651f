import { describe, expect, it } from '@jest/globals';
import { ShopifyConnector } from '../store/shopify/connector.js';
import { WooConnector } from '../store/woocommerce/connector.js';
import { pagePolicy } from './security-headers.js';
import { smallImage } from './thumbnails.js';

const CDN = 'https://cdn.shopify.com';
/** A shop whose images are scaled by its CDN, and one whose images are not. */
const SHOPS = [
  new ShopifyConnector({ shop: 'a.myshopify.com', auth: { accessToken: 'token' }, apiVersion: '2026-10' }),
  new WooConnector({ url: 'http://127.0.0.1:4010', key: { consumerKey: 'ck', consumerSecret: 'cs' } }),
];

describe('a thumbnail', () => {
  it('is the store’s own image, scaled by its CDN', () => {
    expect(smallImage(`${CDN}/s/files/1/a.jpg?v=17`, SHOPS)).toBe(`${CDN}/s/files/1/a.jpg?v=17&width=96`);
    expect(smallImage('http://127.0.0.1:4010/a.png', SHOPS)).toBe('http://127.0.0.1:4010/a.png');
  });

  it.each([
    ['another host', 'https://evil.example/a.jpg'],
    ['another port', 'https://cdn.shopify.com:8443/a.jpg'],
    ['a host that only begins alike', 'https://cdn.shopify.com.evil.example/a.jpg'],
    ['a name and a password for the host', 'https://a:b@cdn.shopify.com/a.jpg'],
    ['a data address', 'data:image/svg+xml,<svg/>'],
    ['a script', 'javascript:alert(1)'],
    ['no address', 'a.jpg'],
  ])('is not shown from %s', (_what, address) => {
    expect(smallImage(address, SHOPS)).toBeNull();
  });
});

it('the policy of pages lets images come from the stores’ hosts, and nothing else come from there', () => {
  const policy = pagePolicy([CDN]);
  const naming = policy.split('; ').filter((directive) => directive.includes(CDN));
  expect(naming).toEqual([`img-src 'self' data: ${CDN}`]);
  expect(policy).not.toMatch(/unsafe|\*/);
});
