import { describe, expect, it } from '@jest/globals';
import { cookieOf } from './cookies.js';

describe('cookieOf', () => {
  it.each([
    ['a=1; b=2', '2'],
    ['b=2', '2'],
    ['a=1; b=x=y', 'x=y'],
    ['ab=1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('reads b of %j as %j', (header, value) => {
    expect(cookieOf(header, 'b')).toBe(value);
  });
});
