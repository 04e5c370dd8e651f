import { describe, expect, it } from '@jest/globals';
import type { WriteBackSettings } from '../domain/store-settings.js';
import { IMAGE_ALTS, SHORT_DESCRIPTION } from '../domain/write-target.js';
import { isMapped } from './mapped-target.js';

const settings: Parameters<typeof isMapped>[1] = {
  fields: {
    name: 'title',
    'sections.keywords': 'tags',
    'sections.alt': IMAGE_ALTS,
    description: SHORT_DESCRIPTION,
  },
  attributes: { material: 'custom.material' },
  variants: { description: 'custom.text' },
  sections: { namespace: 'catalog' },
  locales: ['fr'],
};
const none: Pick<WriteBackSettings, 'fields' | 'attributes' | 'variants' | 'sections' | 'locales'> = {
  ...{ fields: {}, attributes: {}, variants: {}, sections: null, locales: [] },
};

describe.each([
  'title',
  'tags:red',
  IMAGE_ALTS,
  'metafield:product.short_description',
  'metafield:custom.material',
  'metafield:catalog.care',
  'variant:7:metafield:custom.text',
  'fr:title',
  'fr:metafield:catalog.care',
])('%s', (target) => {
  it('is mapped by its setting alone', () => {
    expect(isMapped(target, settings)).toBe(true);
    expect(isMapped(target, none)).toBe(false);
  });
});

it.each([
  'descriptionHtml',
  'metafield:custom.text',
  'variant:7:metafield:custom.material',
  'de:title',
  'fr:vendor',
])('%s is not mapped by the settings of others', (target) => {
  expect(isMapped(target, settings)).toBe(false);
});
