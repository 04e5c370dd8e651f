import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keyBytes } from './encryption-key.js';

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
