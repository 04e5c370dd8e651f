import { describe, expect, it } from '@jest/globals';
import { CodedError, errorLine, isCoded } from './errors.js';

describe('errorLine', () => {
  it('shows the service’s own field messages on one line', () => {
    const error = new CodedError('invalid', 'catalog refused\nthe product', {
      fields: { sku: ['already in use'] },
    });
    expect(errorLine(error)).toBe('catalog refused the product (sku: already in use)');
  });

  it.each(['x', ' ', '\n', ' \n', '\t'])('is one bounded line of a long message of %j', (piece) => {
    const line = errorLine(new CodedError('invalid', `a${piece.repeat(50_000)}b`));
    expect(line).not.toMatch(/[\r\n]/);
    expect(line.length).toBeLessThanOrEqual(2000);
  });

  it('serves whatever was thrown', () => {
    expect(errorLine('plain')).toBe('plain');
  });
});

it('isCoded distinguishes errors by their codes', () => {
  expect(isCoded(new CodedError('auth', 'x'), 'transient')).toBe(false);
  expect(isCoded(new CodedError('auth', 'x'), 'auth', 'transient')).toBe(true);
  expect(isCoded(new Error('x'))).toBe(false);
});
