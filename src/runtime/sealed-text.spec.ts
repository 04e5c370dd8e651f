import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Sealer } from './sealed-text.js';

const [one, two] = [randomBytes(32), randomBytes(32)];

describe('a sealed text', () => {
  const sealed = new Sealer(one).seal('shpat_canary', 'a.myshopify.com access');

  it('opens under its key and for its purpose', () => {
    expect(new Sealer(one).open(sealed, 'a.myshopify.com access')).toBe('shpat_canary');
    expect(sealed).not.toContain('canary');
  });

  it('is another one each time', () => {
    expect(new Sealer(one).seal('shpat_canary', 'a.myshopify.com access')).not.toBe(sealed);
  });

  it.each([
    ['under another key', new Sealer(two), sealed, 'a.myshopify.com access'],
    ['for another purpose', new Sealer(one), sealed, 'b.myshopify.com access'],
    ['after a change', new Sealer(one), `${sealed.slice(0, -4)}AAAA`, 'a.myshopify.com access'],
    ['cut short', new Sealer(one), sealed.slice(0, 20), 'a.myshopify.com access'],
    ['as something else', new Sealer(one), 'shpat_canary', 'a.myshopify.com access'],
  ])('does not open %s', (_what, sealer, text, purpose) => {
    expect(sealer.open(text, purpose)).toBeNull();
  });

  it('opens with the previous key after the key was replaced, and shows that it is to be sealed again', () => {
    const rotated = new Sealer(two, [one]);
    expect(rotated.open(sealed, 'a.myshopify.com access')).toBe('shpat_canary');
    expect(rotated.isCurrent(sealed)).toBe(false);
    expect(rotated.isCurrent(rotated.seal('x', 'y'))).toBe(true);
  });
});
