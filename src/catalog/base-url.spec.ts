import { describe, expect, it } from '@jest/globals';
import { endpointUrl, nextPageUrl, parseBaseUrl } from './base-url.js';

describe('parseBaseUrl', () => {
  it.each([
    'https://catalog.example.com/api/v1',
    'http://localhost:3000/api/v1',
    'http://127.0.0.1/api/v1',
    'http://127.1:8080/api/v1',
    'http://[::1]:8080/api/v1',
  ])('[AUTH-11] takes %s', (url) => {
    expect(parseBaseUrl(`${url}/`).pathname).toBe('/api/v1');
  });

  it.each([
    'http://catalog.example.com/api/v1',
    'http://127.0.0.1.evil.example/api/v1',
    'http://localhost.evil.example/api/v1',
    'http://10.0.0.1/api/v1',
    'ftp://localhost/api/v1',
    'catalog.example.com/api/v1',
    'https://user:secret@catalog.example.com/api/v1',
    'https://catalog.example.com/api/v1?x=1',
    '',
  ])('[AUTH-11] refuses %j', (url) => {
    expect(() => parseBaseUrl(url)).toThrow(expect.objectContaining({ code: 'misconfigured' }));
    expect(() => parseBaseUrl(url)).not.toThrow(/secret/);
  });
});

describe('endpointUrl', () => {
  const base = parseBaseUrl('https://c.example/api/v1');

  it('[GEN-06] keeps the trailing slash and encodes ids and query', () => {
    const url = endpointUrl(base, '/products/{id}/', { id: 'a/ü?{id}' }, [['q', 'a&b']]);
    expect(url.href).toBe('https://c.example/api/v1/products/a%2F%C3%BC%3F%7Bid%7D/?q=a%26b');
  });

  it('serves a base URL without a path', () => {
    expect(endpointUrl(parseBaseUrl('https://c.example'), '/login/').href).toBe('https://c.example/login/');
  });
});

describe('nextPageUrl', () => {
  const base = parseBaseUrl('https://c.example/api/v1');
  const current = new URL('https://c.example/api/v1/products/');

  it.each([
    ['https://c.example/api/v1/products/?page=2', 'https://c.example/api/v1/products/?page=2'],
    ['?page=2', 'https://c.example/api/v1/products/?page=2'],
    ['/other/?page=2', 'https://c.example/other/?page=2'],
    ['http://c.example/api/v1/products/?page=2', 'https://c.example/api/v1/products/?page=2'],
  ])('[LIST-03] %s', (next, expected) => {
    expect(nextPageUrl(base, next, current).href).toBe(expected);
  });

  it.each([
    'https://evil.example/',
    '//evil.example/api/v1/',
    'https://c.example:8443/api/v1/',
    'http://c.example:8080/api/v1/',
    'https://c.example@evil.example/',
    'https://user:pw@c.example/',
    'https://[',
    'javascript:alert(1)',
  ])('stays on the base URL’s origin: %s', (next) => {
    expect(() => nextPageUrl(base, next, current)).toThrow(
      expect.objectContaining({ code: 'misconfigured' }),
    );
  });
});
