import { describe, expect, it } from '@jest/globals';
import { storeSchema } from '../config/store-schema.js';
import { valueHash } from '../domain/written-content.js';
import { catalogFields, holdsNewContent, sentCatalogFields } from './catalog-content.js';

const settings = storeSchema.parse({
  workspace: 'default',
  shop: 'example.myshopify.com',
  auth: { accessToken: 'token' },
  writeBack: { sections: { namespace: 'catalog' } },
}).writeBack;
const OLD = { name: 'Old', html_description: '<p>Old</p>', sections: [{ code: 'Material', value: 'Wool' }] };
const before = catalogFields(OLD);

describe('content of a catalog product', () => {
  it.each([
    ['is what it was when it was asked for', OLD, {}, false],
    ['has a new name', { ...OLD, name: 'New' }, {}, true],
    ['has the name that we pushed since', { ...OLD, name: 'New' }, { name: valueHash('New') }, false],
    ['has a new section', { ...OLD, sections: [...OLD.sections, { code: 'Fit', value: 'slim' }] }, {}, true],
    ['has another value of one', { ...OLD, sections: [{ code: 'Material', value: 'Silk' }] }, {}, true],
    ['has lost its texts', { name: '', sections: [] }, {}, false],
    ['changed only where nothing is written from', { ...OLD, brand: 'Acme' }, {}, false],
  ])('that %s: new is judged right', (_what, product, pushed, isNew) => {
    expect(holdsNewContent(product, before, pushed, settings)).toBe(isNew);
  });

  it('is hashed by field, without what is empty', () => {
    expect(Object.keys(catalogFields({ name: 'A', description: '', brand: null }))).toEqual(['name']);
    expect(Object.keys(before)).toEqual(['name', 'html_description', 'sections.material']);
  });

  it('of an update is that of the sent fields alone', () => {
    expect(sentCatalogFields(OLD, ['name', 'images'])).toEqual({ name: before['name'] });
  });
});
