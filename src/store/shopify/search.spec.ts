import { describe, expect, it } from '@jest/globals';
import { productSearch, requireHeeded } from './search.js';

const STATUSES = 'status:active,draft,archived,unlisted';

describe('productSearch', () => {
  it.each([
    ['', null, STATUSES],
    ['  ', null, STATUSES],
    ['tag:a OR tag:b', null, `${STATUSES} tag:a OR tag:b`],
    ['', new Date('2026-11-19T23:59:59.999Z'), `updated_at:>='2026-11-19T23:59:59Z' ${STATUSES}`],
  ])('of %p since %p is %s', (query, since, expected) => {
    expect(productSearch(query, since)).toBe(expected);
  });

  it.each(['OR tag:a', 'tag:a OR', 'AND x', 'tag:a NOT'])(
    'refuses %p, whose operator would take our terms',
    (query) => {
      expect(() => productSearch(query)).toThrow(expect.objectContaining({ code: 'misconfigured' }));
    },
  );

  it('lets words be that merely look like operators', () => {
    expect(productSearch('ORANGE SAND')).toBe(`${STATUSES} ORANGE SAND`);
  });
});

describe('requireHeeded', () => {
  it('accepts notes without warnings', () => {
    expect(() => {
      requireHeeded([{ warnings: [] }], 'x');
    }).not.toThrow();
  });

  it('throws invalid with the store’s messages', () => {
    const notes = [{ warnings: [{ field: 'f', message: 'Invalid search field.', code: 'invalid_field' }] }];
    expect(() => {
      requireHeeded(notes, 'f:1');
    }).toThrow(expect.objectContaining({ code: 'invalid', fields: { query: ['Invalid search field.'] } }));
  });
});
