import { expect, it } from '@jest/globals';
import type { CatalogField } from '../domain/catalog-product.js';
import { generatedCatalogFields } from './generated-fields.js';

it.each<[string, readonly CatalogField[]]>([
  ['title', ['name']],
  ['descriptionHtml', ['description', 'html_description']],
  ['vendor', ['brand']],
  ['productType', ['category']],
  ['seo.title', []],
])('generatedCatalogFields of a write-back to %s are %j', (target, fields) => {
  expect([...generatedCatalogFields({ name: target })]).toEqual(fields);
});
