import { describe, expect, it } from '@jest/globals';
import { redactorOf, redactSecrets, redactValue } from './redaction.js';

const KNOWN = ['hush-hush-hush-hush', 'hush-hush-hush-hush-2', 'p@ss/word-and-more', 'store', 'a', ''];

describe('redactSecrets', () => {
  it.each([
    ['a secret inside a text', 'key=hush-hush-hush-hush;', 'key=***;'],
    ['a secret that is percent-encoded', 'https://x.test/?k=p%40ss%2Fword-and-more', 'https://x.test/?k=***'],
    ['the longer of two secrets that begin alike', 'hush-hush-hush-hush-2', '***'],
    ['a password in a URL', 'postgres://user:whatever@db.test/x', 'postgres://user:***@db.test/x'],
    ['a bearer token that no configuration lists', 'Bearer abcdefghijklmnop1234', 'Bearer ***'],
    ['a JSON Web Token', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln, ok', 'got ***, ok'],
    ['a store’s access token', 'used shpat_0123456789abcdef0123456789abcdef', 'used ***'],
    ['no word that a short token happens to be', 'store main: it answers', 'store main: it answers'],
    ['nothing in ordinary text', 'Bearer token: http://x.test:8/a@b', 'Bearer token: http://x.test:8/a@b'],
  ])('masks %s', (_what, text, expected) => {
    expect(redactSecrets(text, KNOWN)).toBe(expected);
  });

  it.each(['eyJ-', 'eyJ.eyJ.', 'a://', 'a://b:', 'Bearer ', 'shpat_', '":'])(
    'reads a long text of %j once, not again and again',
    (piece) => {
      // In quadratic time it would take longer than the test may.
      expect(redactSecrets(piece.repeat(100_000 / piece.length), KNOWN).length).toBeGreaterThan(0);
    },
  );
});

it('redactValue masks by name at any depth and leaves the rest alone', () => {
  const value = {
    a: [{ headers: { Authorization: 'x', 'Set-Cookie': ['y'], accept: 'z' } }],
    hmac_secret: 's',
    token: '',
    count: 3,
  };
  expect(redactValue(value, redactorOf([]))).toEqual({
    a: [{ headers: { Authorization: '***', 'Set-Cookie': '***', accept: 'z' } }],
    hmac_secret: '***',
    token: '',
    count: 3,
  });
});
