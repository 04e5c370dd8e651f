import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { weaknessOf } from './secret-strength.js';

describe('a secret', () => {
  it.each([
    ['store', 'short'],
    ['sixteen-letters!', null],
    ['change-me-change-me', 'placeholder'],
    ['CHANGE_ME_BEFORE_USE', 'placeholder'],
    ['<the token of the service>', 'placeholder'],
    ['your-secret-of-32-characters', 'placeholder'],
    ['xxxxxxxxxxxxxxxxxxxxxxxx', 'placeholder'],
    ['0123456789abcdef0123456789abcdef', 'placeholder'],
    ['12345678901234567890', 'placeholder'],
    ['', 'short'],
  ])('%j is judged as %j', (secret, weakness) => {
    expect(weaknessOf(secret)).toBe(weakness);
  });

  it('of random bytes has no weakness, in whatever spelling', () => {
    for (let count = 0; count < 2000; count += 1) {
      const bytes = randomBytes(32);
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        expect(weaknessOf(bytes.toString(encoding))).toBeNull();
    }
  });
});
