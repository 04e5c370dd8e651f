import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isRandomKey, keyBytes } from './encryption-key.js';

const one = randomBytes(32);

describe('a key', () => {
  it.each([one.toString('hex'), one.toString('base64'), one.toString('base64url')])('may be %s', (text) => {
    expect(keyBytes(text)).toEqual(one);
  });

  it.each(['', 'a password of people', one.toString('hex').slice(2), randomBytes(16).toString('base64')])(
    'is not %j',
    (text) => {
      expect(keyBytes(text)).toBeNull();
    },
  );
});

describe('a random key', () => {
  it('is any that was made by chance', () => {
    for (let count = 0; count < 1000; count += 1) expect(isRandomKey(randomBytes(32))).toBe(true);
  });

  it.each([
    ['zeros', '0'.repeat(64)],
    ['one digit', 'f'.repeat(64)],
    ['zeros as base64', Buffer.alloc(32).toString('base64')],
  ])('is not %s', (_what, text) => {
    expect(isRandomKey(keyBytes(text))).toBe(false);
  });
});
