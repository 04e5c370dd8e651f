import { describe, expect, it } from '@jest/globals';
import { pathBelow, requireApiVersion, resolveEndpoint } from './endpoint.js';

const SHOP = 'demo-store.myshopify.com';

describe('resolveEndpoint', () => {
  it.each([
    [undefined, `https://${SHOP}/`],
    ['', `https://${SHOP}/`],
    ['https://proxy.example.com/shop', 'https://proxy.example.com/shop'],
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/'],
    ['http://localhost:4000', 'http://localhost:4000/'],
    ['http://[::1]:4000', 'http://[::1]:4000/'],
  ])('takes %s for %s', (endpoint, expected) => {
    expect(resolveEndpoint(SHOP, endpoint).href).toBe(expected);
  });

  it.each([
    'http://store.example.com',
    'http://127.0.0.1.example.com',
    'ftp://x',
    'x',
    'https://u:p@x.example.com',
    'https://x.example.com/?a=b',
  ])('refuses the endpoint %s', (endpoint) => {
    expect(() => resolveEndpoint(SHOP, endpoint)).toThrow(expect.objectContaining({ code: 'misconfigured' }));
  });

  it.each(['evil.com/', 'Demo.myshopify.com', 'demo.myshopify.com.evil.com', '-a.myshopify.com', ''])(
    'refuses the shop %p',
    (shop) => {
      expect(() => resolveEndpoint(shop, undefined)).toThrow(
        expect.objectContaining({ code: 'misconfigured' }),
      );
    },
  );
});

describe('requireApiVersion', () => {
  it.each(['2026-10', 'unstable'])('takes %s', (version) => {
    expect(requireApiVersion(version)).toBe(version);
  });

  it.each(['', '2026', '2026-10/../x'])('refuses %p', (version) => {
    expect(() => requireApiVersion(version)).toThrow(expect.objectContaining({ code: 'misconfigured' }));
  });
});

it('pathBelow keeps the endpoint’s own path', () => {
  expect(pathBelow(new URL('https://proxy.example.com/shop/'), '/admin')).toBe('/shop/admin');
  expect(pathBelow(new URL('https://proxy.example.com'), '/admin')).toBe('/admin');
});
