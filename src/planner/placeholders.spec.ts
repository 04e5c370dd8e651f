import { describe, expect, it } from '@jest/globals';
import { rules, snapshot } from '../../test/support/product-builders.js';
import { toCatalogBody } from './map-to-catalog.js';
import { isMissing, isPlaceholder } from './placeholders.js';

const MISSING = [
  '',
  ' ',
  'nan',
  'NaN',
  'null',
  'None',
  'undefined',
  '#N/A',
  'n/a',
  '#REF!',
  '\u200e\u200e\u3164',
  '\u2800',
];

describe('a text that says nothing', () => {
  it.each(MISSING)('%j is missing in every field', (text) => {
    expect(isMissing(text)).toBe(true);
    const { translations: _translations, ...body } = toCatalogBody(
      snapshot({
        ...{
          title: text,
          descriptionHtml: `<p>${text}</p>`,
          vendor: text,
          category: text,
          productType: text,
        },
        tags: [text, 'steel'],
        translations: { fr: { title: text } },
      }),
      rules(),
    );
    for (const field of ['name', 'brand', 'category', 'description', 'open_attributes'])
      expect(body).not.toHaveProperty(field);
    expect(body.metadata).toMatchObject({ tags: ['steel'] });
  });

  it.each(['Nana', 'Null Modem', 'NA', 'NaN bread', 'Nothing'])('%j is a text', (text) => {
    expect(isMissing(text)).toBe(false);
  });

  it.each(['No brand', 'N.A.', '-', 'Unknown', 'keine Angabe'])(
    '%j is no brand, and may be a title',
    (text) => {
      expect([isPlaceholder(text), isMissing(text)]).toEqual([true, false]);
    },
  );
});
