import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { derivedKey } from './derived-key.js';

describe('a derived key', () => {
  it('differs for each purpose, and from the secret itself', () => {
    const keys = [
      derivedKey('secret', 'install state'),
      derivedKey('secret', 'dashboard session'),
      derivedKey('secret', 'store tokens'),
      Buffer.from('secret'),
    ];
    const codes = keys.map((key) => createHmac('sha256', key).update('message').digest('hex'));
    expect(new Set(codes).size).toBe(4);
  });

  it('is the same each time, for texts and bytes', () => {
    expect(derivedKey('secret', 'install state')).toEqual(derivedKey(Buffer.from('secret'), 'install state'));
  });
});
