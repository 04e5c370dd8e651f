import { describe, expect, it } from '@jest/globals';
import { pager } from './elements.js';

const textOf = (total: number, offset: number): string =>
  pager({ total, limit: 50, offset }, (at) => `/runs?offset=${String(at)}`).text.replaceAll(/\s+/g, ' ');

describe('the pager of a list', () => {
  it('leads from a page past the end to the last one', () => {
    const text = textOf(120, 5_000);
    expect(text).toContain('href="/runs?offset=100"');
    expect(text).toContain('past the end of the list, which has 120 entries');
    expect(textOf(1, 50)).toContain('past the end of the list, which has one entry.');
  });

  it.each([
    [100, 50, '51–100 of 100', 'href="/runs?offset=0"'],
    [120, 0, '1–50 of 120', 'href="/runs?offset=50"'],
  ])('of %i entries says at offset %i: %s', (total, offset, position, link) => {
    expect(textOf(total, offset)).toContain(position);
    expect(textOf(total, offset)).toContain(link);
  });

  it('of a full last page names no page after it', () => {
    expect(textOf(100, 50)).not.toContain('Next');
    expect(textOf(100, 100)).toContain('past the end');
  });

  it('of an empty list is absent', () => {
    expect(textOf(0, 0)).toBe('');
  });
});
