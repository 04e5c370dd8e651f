import { describe, expect, it } from '@jest/globals';
import { writeBackSettings } from '../../test/support/product-builders.js';
import type { WriteBackSettings, WrittenPart } from '../domain/store-settings.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { intendedValues, type GeneratedProduct } from './generated-content.js';

function intendedOf(product: GeneratedProduct, over: Partial<WriteBackSettings> = {}): IntendedValue[] {
  return intendedValues(product, { ...writeBackSettings, ...over });
}

describe('a generated text that says nothing', () => {
  const NOTHING = [
    'nan',
    'NaN',
    ' null ',
    '#N/A',
    'None',
    '\u200b\u200b',
    '\u00ad',
    '\u2800 \u3164',
    '\u202e',
    '',
  ];

  it.each(NOTHING)('never becomes a value of the store: %j', (text) => {
    const fields: Record<string, WrittenPart> = {
      ...{ name: 'title', html_description: 'descriptionHtml', brand: 'vendor', category: 'productType' },
      ...{ 'sections.tags': 'tags', 'sections.alt': 'images[].alt', 'sections.meta': 'seo.title' },
    };
    const product = {
      ...{ name: text, html_description: `<p>${text}</p>`, brand: text, category: text },
      sections: ['tags', 'alt', 'meta', 'note', 'list'].map((code) => ({
        code,
        value: code === 'list' || code === 'tags' ? [text, `<b>${text}</b>`] : text,
      })),
    };
    expect(intendedOf(product, { fields })).toEqual([]);
  });

  it('is left out of a list, and the others stay', () => {
    const [value] = intendedOf({ sections: [{ colours: ['Red', 'nan', '\u200b', 'Blue'] }] });
    expect(value?.value).toBe('["Red","Blue"]');
  });

  it('is no brand and no category, as in a store', () => {
    const fields = { brand: 'vendor', category: 'productType' } as const;
    expect(intendedOf({ brand: 'Unknown', category: 'Uncategorized' }, { fields })).toEqual([]);
    expect(intendedOf({ brand: 'Acme', category: 'Home > Lamps' }, { fields })).toHaveLength(2);
  });

  it('is not the letter of a word', () => {
    const [title] = intendedOf({ name: 'Nan’s lamp' });
    expect(title?.value).toBe('Nan’s lamp');
  });
});
