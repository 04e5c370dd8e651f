import { describe, expect, it } from '@jest/globals';
import {
  externalId,
  metafield,
  rules,
  SHOP,
  snapshot,
  variant,
} from '../../test/support/product-builders.js';
import type { CatalogProductBody, JsonValue } from '../domain/catalog-product.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import {
  fieldHashes,
  identifierKey,
  identifiersOf,
  toCatalogBody,
  withoutIdentifiers,
} from './map-to-catalog.js';

function body(
  over: Partial<ProductSnapshot> = {},
  mapping: Parameters<typeof rules>[0] = {},
): CatalogProductBody {
  return toCatalogBody(snapshot(over), rules(mapping));
}

const model = snapshot({
  options: [
    { name: 'Size', values: ['S', 'M'] },
    { name: 'Colour', values: ['red'] },
  ],
  hasOnlyDefaultVariant: false,
  variants: [
    variant({
      id: '11',
      title: 'S / red',
      sku: 'S-1',
      barcode: null,
      options: [{ name: 'Size', value: 'S' }],
    }),
    variant({ id: '12', title: 'M / red', sku: null, barcode: '42', options: [] }),
  ],
});

describe('toCatalogBody', () => {
  it('of a product with only its default variant is a standalone product with that variant’s identifiers', () => {
    expect(body()).toEqual({
      external_id: externalId(),
      name: 'Bottle',
      description: 'Holds a litre.',
      html_description: '<p>Holds a litre.</p>',
      brand: 'Acme',
      category: 'Bottles',
      url: `https://${SHOP}/products/bottle`,
      sku: 'BOT-1',
      barcode: '4006381333931',
      images: [{ source_url: 'https://cdn.example.com/1.jpg', order: 1 }],
      metadata: { store: SHOP, handle: 'bottle', status: 'ACTIVE', tags: ['steel'] },
    });
  });

  it('of any other is a model with variants and no identifiers of its own', () => {
    const made = toCatalogBody(model, rules());
    expect(made).not.toHaveProperty('sku');
    expect(made).not.toHaveProperty('barcode');
    expect(made.open_attributes).toEqual({ Size: ['S', 'M'], Colour: ['red'] });
    expect(made.variants).toEqual([
      { external_id: externalId('1', '11'), name: 'S / red', sku: 'S-1', open_attributes: { Size: 'S' } },
      { external_id: externalId('1', '12'), name: 'M / red', barcode: '42' },
    ]);
  });

  it('of a product with one real variant is a model too', () => {
    const one = toCatalogBody({ ...model, variants: model.variants.slice(0, 1) }, rules());
    expect(one.variants).toHaveLength(1);
    expect(one).not.toHaveProperty('sku');
  });

  it('names variants without the product’s title, so that renaming the product leaves them alone', () => {
    const before = fieldHashes(toCatalogBody(model, rules()));
    const after = fieldHashes(toCatalogBody({ ...model, title: 'Renamed' }, rules()));
    expect(after.variants).toBe(before.variants);
    expect(after.name).not.toBe(before.name);
  });

  it('maps texts in further languages like the primary ones, and leaves out a language without a text', () => {
    const translations = { fr: { title: 'Gourde', descriptionHtml: '<p>Un litre.</p>' }, de: {} };
    expect(toCatalogBody(snapshot({ translations }), rules()).translations).toEqual({
      fr: { name: 'Gourde', description: 'Un litre.', html_description: '<p>Un litre.</p>' },
    });
    expect(toCatalogBody(snapshot({ translations: { de: {} } }), rules()).translations).toEqual({});
    expect(toCatalogBody(snapshot({ translations: null }), rules())).not.toHaveProperty('translations');
  });

  it('leaves empty values out', () => {
    const bare = body({
      title: '',
      descriptionHtml: null,
      vendor: null,
      productType: null,
      url: null,
      imageUrls: [],
      variants: [variant({ sku: null, barcode: null })],
    });
    expect(Object.keys(bare).sort()).toEqual(['external_id', 'metadata']);
  });

  it('of a product without any variant has no identifiers', () => {
    expect(identifiersOf(body({ variants: [] }))).toEqual([]);
  });

  it('keeps the store’s order of images, counted from one', () => {
    const imageUrls = ['https://c.example/b.jpg', 'https://c.example/a.jpg'];
    expect(body({ imageUrls }).images).toEqual([
      { source_url: 'https://c.example/b.jpg', order: 1 },
      { source_url: 'https://c.example/a.jpg', order: 2 },
    ]);
  });

  it('takes part number and ASIN from the metafields that the configuration names, trimmed', () => {
    const metafields = [
      metafield('ids.mpn', ' M-1 '),
      metafield('ids.asin', 'B00X'),
      metafield('ids.x', 'y'),
    ];
    expect(body({ metafields }, { mpn: 'ids.mpn', asin: 'ids.asin' })).toMatchObject({
      mpn: 'M-1',
      asin: 'B00X',
    });
    expect(body({ metafields }, { mpn: 'ids.none' })).not.toHaveProperty('mpn');
    expect(body({ metafields: [metafield('ids.mpn', '  ')] }, { mpn: 'ids.mpn' })).not.toHaveProperty('mpn');
  });

  it('sends only the metafields that the configuration names', () => {
    const metafields = [
      metafield('custom.care', 'wash'),
      metafield('specs.a', '1'),
      metafield('specs.b', '2'),
    ];
    expect(body({ metafields })).not.toHaveProperty('open_attributes');
    expect(body({ metafields }, { openAttributes: ['custom.*', 'specs.b'] }).open_attributes).toEqual({
      'custom.care': 'wash',
      'specs.b': '2',
    });
  });

  it.each<[string, string, JsonValue]>([
    ['single_line_text_field', '5', '5'],
    ['boolean', 'true', true],
    ['number_integer', '5', 5],
    ['number_integer', '9007199254740993', '9007199254740993'],
    ['number_decimal', '0.25', 0.25],
    ['number_decimal', '1.50', '1.50'],
    ['number_decimal', 'much', 'much'],
    ['list.single_line_text_field', '["a","b"]', ['a', 'b']],
    ['list.number_integer', '[1', '[1'],
    ['json', '{"a": [1, null]}', { a: [1, null] }],
    ['json', '{"a\\u0000": "b\\u0000c"}', { a: 'bc' }],
    ['json', '["half \\ud83e"]', ['half \ufffd']],
    ['json', '['.repeat(60) + ']'.repeat(60), '['.repeat(60) + ']'.repeat(60)],
    ['json', `[${'1,'.repeat(20_000)}1]`, `[${'1,'.repeat(20_000)}1]`],
    ['weight', '{"value": 1, "unit": "kg"}', '{"value": 1, "unit": "kg"}'],
  ])('reads a metafield of type %s and value %j as %j', (type, value, expected) => {
    const made = body({ metafields: [metafield('custom.x', value, type)] }, { openAttributes: ['custom.*'] });
    expect(made.open_attributes).toEqual({ 'custom.x': expected });
  });

  it.each(['__proto__', 'constructor', 'prototype', ''])('takes no attribute that is named %j', (name) => {
    const made = body({
      hasOnlyDefaultVariant: false,
      options: [
        { name, values: ['x'] },
        { name: 'Size', values: ['S'] },
      ],
      variants: [variant({ options: [{ name, value: 'x' }] })],
    });
    expect(Object.keys(made.open_attributes ?? {})).toEqual(['Size']);
    expect(made.variants?.[0]).not.toHaveProperty('open_attributes');
    expect(Object.getPrototypeOf(made.open_attributes)).toBe(Object.prototype);
  });
});

describe('fieldHashes', () => {
  it('hashes the fields that have a value, and never the external_id', () => {
    expect(
      Object.keys(
        fieldHashes({ external_id: 'x', name: 'a', brand: '', sku: null, images: [], metadata: {} }),
      ),
    ).toEqual(['name']);
  });

  it('does not depend on the order of attributes', () => {
    const left = fieldHashes({ external_id: 'x', open_attributes: { a: 1, b: 2 } });
    expect(fieldHashes({ external_id: 'x', open_attributes: { b: 2, a: 1 } })).toEqual(left);
  });
});

describe('identifiers', () => {
  it('are those of the product and of its variants, each with its bearer', () => {
    expect(identifiersOf(toCatalogBody(model, rules()))).toEqual([
      { kind: 'sku', value: 'S-1', owner: externalId('1', '11') },
      { kind: 'barcode', value: '42', owner: externalId('1', '12') },
    ]);
    expect(identifiersOf({ external_id: 'x', sku: 'a', barcode: 'b', mpn: 'c', asin: 'd' })).toHaveLength(4);
    expect(identifiersOf({ external_id: 'x', sku: '', mpn: null })).toEqual([]);
  });

  it('are removed from the one body that has them', () => {
    const made = toCatalogBody(model, rules());
    const without = withoutIdentifiers(made, [{ kind: 'sku', value: 'S-1', owner: externalId('1', '11') }]);
    expect(without.variants?.[0]).not.toHaveProperty('sku');
    expect(without.variants?.[1]).toEqual(made.variants?.[1]);
    expect(withoutIdentifiers(made, [{ kind: 'sku', value: 'S-1', owner: 'another' }])).toEqual(made);
    expect(withoutIdentifiers(made, [{ kind: 'mpn', value: 'S-1', owner: externalId('1', '11') }])).toEqual(
      made,
    );
  });

  it('have keys that no other kind, value or bearer shares', () => {
    const one = { kind: 'sku' as const, value: 'a', owner: 'b' };
    const others = [
      { ...one, kind: 'mpn' as const },
      { ...one, value: 'ab', owner: '' },
      { ...one, owner: 'c' },
    ];
    expect(new Set([one, ...others].map(identifierKey)).size).toBe(4);
  });
});
