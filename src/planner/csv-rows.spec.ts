import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { CatalogProductBody } from '../domain/catalog-product.js';
import { csvHeading, csvRow, missingFields, type CsvFormat } from './csv-rows.js';

const FORMAT: CsvFormat = {
  columns: {
    name: 'Title',
    external_id: 'Key',
    html_description: 'Text',
    product_lists: 'Lists',
    images: 'Pictures',
    open_attributes: 'Attributes',
  },
  listSeparator: '',
  maxBytes: 1_000_000,
};
const ID = 'shopify:example.myshopify.com:1';
const product = (fields: Partial<CatalogProductBody> = {}): CatalogProductBody => ({
  external_id: ID,
  name: 'Lamp',
  ...fields,
});

function cells(body: CatalogProductBody, format = FORMAT): string[] | undefined {
  return parse(csvHeading(format) + (csvRow(body, format) ?? ''))[1];
}

describe('a line of the file', () => {
  it('has the columns of the format in one order, whatever the order of the settings', () => {
    expect(csvHeading(FORMAT)).toBe('Key,Title,Text,Pictures,Lists,Attributes\r\n');
    expect(cells(product())).toEqual([ID, 'Lamp', '', '', '', '']);
  });

  it.each([
    ['quotes and commas', '5" lamp, white'],
    ['line breaks', 'one\ntwo\r\nthree'],
    ['white space at the ends', ' lamp '],
    ['what a spreadsheet takes for a formula', '=HYPERLINK("x")'],
    ['other scripts and emoji', 'Lámpara 灯 💡'],
    ['nothing but a quote', '"'],
  ])('keeps %s', (_what, name) => {
    expect(cells(product({ name }))?.[1]).toBe(name);
  });

  it('has lists and attributes as JSON', () => {
    const images = [{ source_url: 'https://example.com/a|b.jpg', order: 1 }];
    const row = cells(product({ images, product_lists: ['a', 'b'], open_attributes: { Size: ['S'] } }));
    expect(row?.slice(3).map((cell) => JSON.parse(cell) as unknown)).toEqual([
      images,
      ['a', 'b'],
      { Size: ['S'] },
    ]);
  });

  it('has lists with the separator of the format, and leaves out a list that it cannot hold', () => {
    const format = { ...FORMAT, listSeparator: '|' };
    const images = (address: string) => [{ source_url: address, order: 1 }];
    const row = (body: Partial<CatalogProductBody>) => cells(product(body), format);
    expect(row({ product_lists: ['a', 'b'], images: images('https://e.com/a') })?.slice(3, 5)).toEqual([
      'https://e.com/a',
      'a|b',
    ]);
    expect(row({ images: images('https://e.com/a|b') })?.[3]).toBe('');
  });

  it('is not made of a product with variants where the format has no column for them', () => {
    const body = product({ variants: [{ external_id: `${ID}:2`, name: 'S' }] });
    expect(csvRow(body, FORMAT)).toBeNull();
    const columns = { ...FORMAT.columns, variants: 'Variants' };
    expect(csvRow(body, { ...FORMAT, columns })).toContain('""name"":""S""');
  });
});

describe('a line of the file that is too long for a file', () => {
  const fits = (name: string, maxBytes: number): boolean =>
    csvRow(product({ name }), { ...FORMAT, maxBytes }) !== null;
  const bytes = Buffer.byteLength(csvHeading(FORMAT) + (csvRow(product({ name: 'Lámpara' }), FORMAT) ?? ''));

  it('is left out: heading and line together have more bytes than a file may have', () => {
    expect(fits('Lámpara', bytes)).toBe(true);
    expect(fits('Lámpara', bytes - 1)).toBe(false);
    expect(fits('Lamparas', bytes)).toBe(true);
    expect(fits('Lámparas', bytes)).toBe(false);
  });

  it('leaves all fields of its product to a request, also those that the listing does not show', () => {
    const body = product({ product_lists: ['a'] });
    const options = { sent: body, format: { ...FORMAT, maxBytes: 10 } };
    expect(missingFields(body, { name: 'Lamp' }, options)).toEqual(['product_lists']);
  });
});

describe('the part that is missing in the listing', () => {
  const missing = (
    body: Partial<CatalogProductBody>,
    listed: Record<string, unknown>,
    sent: Partial<CatalogProductBody> = body,
  ) => missingFields(product(body), { name: 'Lamp', ...listed }, { sent: product(sent), format: FORMAT });

  const images = [{ source_url: 'https://e.com/a', order: 1 }];
  it.each<[string, Partial<CatalogProductBody>, Record<string, unknown>, string[]]>([
    ['nothing, where all is shown', {}, {}, []],
    ['a text that is another', {}, { name: 'lamp' }, ['name']],
    [
      'a text that is empty',
      { html_description: '<p>x</p>' },
      { html_description: null },
      ['html_description'],
    ],
    ['nothing, where the listing does not show a column', { product_lists: ['a'] }, {}, []],
    ['a field without a column', { brand: 'Acme' }, {}, ['brand']],
    ['nothing, where a field without a column is shown', { brand: 'Acme' }, { brand: 'Acme' }, []],
    [
      'nothing, where images are numbered anew',
      { images },
      { images: [{ source_url: 'https://e.com/a', order: 0 }] },
      [],
    ],
    [
      'images in another order',
      { images: [...images, { source_url: 'b', order: 2 }] },
      {
        images: [
          { source_url: 'b', order: 1 },
          { source_url: 'https://e.com/a', order: 2 },
        ],
      },
      ['images'],
    ],
    [
      'nothing, where the service adds attributes',
      { open_attributes: { a: 1 } },
      { open_attributes: { a: 1, b: 2 } },
      [],
    ],
    [
      'an attribute of another type',
      { open_attributes: { a: 1 } },
      { open_attributes: { a: '1' } },
      ['open_attributes'],
    ],
    ['texts in a further language', { translations: { fr: { name: 'Lampe' } } }, {}, ['translations']],
  ])('is %s', (_what, body, listed, expected) => {
    expect(missing(body, listed)).toEqual(expected);
  });

  it('is an identifier that the file did not carry', () => {
    const columns = { ...FORMAT.columns, sku: 'SKU' };
    const options = { sent: product(), format: { ...FORMAT, columns } };
    expect(missingFields(product({ sku: 'A' }), { name: 'Lamp' }, options)).toEqual(['sku']);
    expect(missingFields(product({ sku: 'A' }), { name: 'Lamp', sku: 'A' }, options)).toEqual([]);
  });

  it('are variants of a product that is no product model, or that the file did not carry', () => {
    const variants = [{ external_id: `${ID}:2`, name: 'S' }];
    const format = { ...FORMAT, columns: { ...FORMAT.columns, variants: 'Variants' } };
    const of = (listed: object, sent: Partial<CatalogProductBody> = { variants }) =>
      missingFields(product({ variants }), { name: 'Lamp', ...listed }, { sent: product(sent), format });
    expect(of({ is_product_model: true })).toEqual([]);
    expect(of({})).toEqual([]);
    expect(of({ is_product_model: false })).toEqual(['variants']);
    expect(of({ is_product_model: true }, {})).toEqual(['variants']);
  });
});
