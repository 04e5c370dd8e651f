import { describe, expect, it } from '@jest/globals';
import type { CatalogField } from '../domain/catalog-product.js';
import { generatedCatalogFields } from './generated-fields.js';

describe('generatedCatalogFields', () => {
  it.each<[string, readonly CatalogField[]]>([
    ['title', ['name']],
    ['descriptionHtml', ['description', 'html_description']],
    ['vendor', ['brand']],
    ['productType', ['category']],
    ['seo.title', []],
  ])('of a write-back to %s are %j', (target, fields) => {
    expect([...generatedCatalogFields({ name: target })]).toEqual(fields);
  });
});
