import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { demoCatalogCsv } from '../demo-catalog/demo-catalog.js';
import { parseProductCsv, readProductCsv } from './csv.js';
import type { ImportedProduct } from './csv.js';
import { csv } from '../../../test/support/sandbox/store-caller.js';

function sample(name: string): string {
  return readFileSync(new URL(`../../../test/fixtures/csv/${name}`, import.meta.url), 'utf8');
}

function one(...rows: Record<string, string>[]): ImportedProduct {
  const [first, ...rest] = rows;
  const products = parseProductCsv(
    csv({ Handle: 'p', Title: 'P', ...first }, ...rest.map((row) => ({ Handle: 'p', ...row }))),
  );
  expect(products).toHaveLength(1);
  return products[0]!;
}

it.each([
  ['apparel.csv', 20, 22, 20],
  ['home-and-garden.csv', 20, 21, 21],
  ['jewelery.csv', 20, 23, 41],
])('exports of real shops %s is read whole', (name, products, variants, images) => {
  const read = parseProductCsv(sample(name), name);
  expect(read).toHaveLength(products);
  expect(read.flatMap((product) => product.variants)).toHaveLength(variants);
  expect(read.flatMap((product) => product.images)).toHaveLength(images);
  expect(read.flatMap((product) => product.images).every((image) => URL.canParse(image.url))).toBe(true);
});

describe('a product export', () => {
  it('without options is one default variant', () => {
    expect(one({})).toMatchObject({
      optionNames: ['Title'],
      variants: [{ optionValues: ['Default Title'], sku: null }],
    });
  });

  // The demo catalogue has products of three options.
  it('takes each variant by its options', () => {
    const first = {
      'Option1 Name': 'Size',
      'Option1 Value': 'S',
      'Option2 Name': 'Fit',
      'Option2 Value': 'Slim',
    };
    const product = one(first, { 'Option1 Value': 'M', 'Option2 Value': 'Wide' });
    const values = product.variants.map((variant) => variant.optionValues.join());
    expect([product.optionNames, values]).toEqual([
      ['Size', 'Fit'],
      ['S,Slim', 'M,Wide'],
    ]);
  });

  it('orders images by their position and adds those that only variants name', () => {
    const product = one(
      {
        'Image Src': 'https://i.example.com/2.jpg',
        'Image Position': '2',
        'Variant Image': 'https://i.example.com/v.jpg',
      },
      { 'Image Src': 'https://i.example.com/1.jpg', 'Image Position': '1', 'Image Alt Text': 'Front' },
    );
    expect(product.images).toEqual([
      { url: 'https://i.example.com/1.jpg', alt: 'Front' },
      { url: 'https://i.example.com/2.jpg', alt: null },
      { url: 'https://i.example.com/v.jpg', alt: null },
    ]);
    expect(product.variants).toHaveLength(1);
  });

  it.each([
    [{ Status: 'archived', Published: 'true' }, 'ARCHIVED'],
    [{ Status: 'Draft' }, 'DRAFT'],
    [{ Status: 'unlisted' }, 'UNLISTED'],
    [{ Published: 'TRUE' }, 'ACTIVE'],
    [{ Published: 'false' }, 'DRAFT'],
    [{}, 'ACTIVE'],
  ])('%j makes it %s', (row, status) => {
    expect(one(row).status).toBe(status);
  });

  it.each([
    [{ 'Product Category': 'Apparel > Hats', Type: 'Hat' }, 'Apparel > Hats'],
    [{ 'Google Shopping / Google Product Category': 'Apparel > Hats' }, 'Apparel > Hats'],
    [{ 'Google Shopping / Google Product Category': '173' }, null],
    [{ Type: 'Hat' }, null],
  ])('%j has the category %j', (row, category) => {
    expect(one(row).category).toBe(category);
  });

  it.each([
    ['500', 'kg', { value: 0.5, unit: 'KILOGRAMS' }],
    ['500', '', { value: 500, unit: 'GRAMS' }],
    ['28', 'oz', { value: 0.9877, unit: 'OUNCES' }],
    ['', 'kg', null],
  ])('%s grams shown in %s weigh %j', (grams, unit, weight) => {
    expect(one({ 'Variant Grams': grams, 'Variant Weight Unit': unit }).variants[0]?.weight).toEqual(weight);
  });

  it('keeps metafield columns and passes over unknown ones', () => {
    const product = one({
      'Material (product.metafields.custom.material)': 'Wool',
      'Notes (product.metafields.my.notes)': 'a\nb',
      'Some App Column': 'x',
    });
    expect(product.metafields).toEqual([
      { namespace: 'custom', key: 'material', type: 'single_line_text_field', value: 'Wool' },
      { namespace: 'my', key: 'notes', type: 'multi_line_text_field', value: 'a\nb' },
    ]);
  });

  it('takes a byte order mark, CRLF, blank lines, line breaks in quotes and headers in any case', () => {
    const text = '\uFEFFhandle,TITLE,body (html)\r\n\r\na,"A ""quoted""","<p>one\r\ntwo</p>"\r\nb,B,\r\n';
    expect(
      parseProductCsv(text).map(({ handle, title, descriptionHtml }) => [handle, title, descriptionHtml]),
    ).toEqual([
      ['a', 'A "quoted"', '<p>one\r\ntwo</p>'],
      ['b', 'B', ''],
    ]);
  });

  it('takes the column names of the newer template', () => {
    const [product] = parseProductCsv(
      'URL handle,Title,Description,Product category,SKU,Price,Published on online store\na,A,<p>x</p>,Root > Leaf,S-1,9.5,FALSE\n',
    );
    expect(product).toMatchObject({
      handle: 'a',
      descriptionHtml: '<p>x</p>',
      category: 'Root > Leaf',
      status: 'DRAFT',
      variants: [{ sku: 'S-1' }],
    });
  });

  it.each([
    ['of a file with tabs', 'Handle\tTitle\tVariant Grams\na\tA\t250,5\n', 250.5],
    ['between quotes', 'Handle,Title,Variant Grams\na,A,"12,50"\n', 12.5],
  ])('reads a decimal comma %s', (_where, text, value) => {
    expect(parseProductCsv(text)[0]?.variants[0]?.weight).toEqual({ value, unit: 'GRAMS' });
  });

  it('takes a quote in a bare cell as the character that it is', () => {
    const products = parseProductCsv('Handle,Title\na,"for 6.1"" phones"\nb,for 6.1" phones\n');
    expect(products.map(({ title }) => title)).toEqual(['for 6.1" phones', 'for 6.1" phones']);
  });

  it('loses the row alone whose quotes are wrong', () => {
    const read = readProductCsv('Handle,Title\na,A\nb,"6.1 inch\nc,C\nd,"D\nd"\n', 'x.csv');
    expect(read.products.map(({ handle }) => handle)).toEqual(['a', 'c', 'd']);
    expect(read.problems.map(({ message }) => message)).toEqual([
      'x.csv:3: a quote is closed in the middle of a cell',
    ]);
  });

  it('keeps rows of one handle together wherever they stand', () => {
    const rows = [
      { Handle: 'a', Title: 'A', 'Option1 Name': 'Size', 'Option1 Value': 'S' },
      { Handle: 'b', Title: 'B', 'Option1 Name': '', 'Option1 Value': '' },
      { Handle: 'a', Title: '', 'Option1 Name': '', 'Option1 Value': 'M' },
    ];
    expect(parseProductCsv(csv(...rows)).map((product) => product.variants.length)).toEqual([2, 1]);
  });
});

describe('malformed exports are refused with file, line and column', () => {
  const refused = (text: string, message: string): void => {
    expect(() => parseProductCsv(text, 'x.csv')).toThrow(
      expect.objectContaining({ code: 'invalid', message: expect.stringContaining(message) }),
    );
  };

  it.each([
    ['Variant Grams', 'cheap'],
    ['Status', 'sold'],
    ['Published', 'maybe'],
    ['Image Src', 'front.jpg'],
  ])('a %s that is %s', (column, value) => {
    refused(`Handle,Title,${column}\na,A,${value}\n`, `x.csv:2, column "${column}": "${value}"`);
  });

  it.each([
    ['an empty file', '', 'x.csv: is empty'],
    ['no handle column', 'Title\nA\n', 'x.csv:1, column "Handle"'],
    ['a row without a handle', 'Handle,Title\na,A\n,B\n', 'x.csv:3, column "Handle"'],
    ['a product without a title', 'Handle,Title,Vendor\na,,V\n', 'x.csv:2, column "Title"'],
    [
      'a comma that can mean thousands or decimals',
      'Handle,Title,Variant Grams\na,A,"1,250"\n',
      'x.csv:2, column "Variant Grams": "1,250" is not a number',
    ],
    [
      'a missing option value',
      'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value\na,A,Size,S,Colour,\n',
      'x.csv:2, column "Option2 Value"',
    ],
    ['a short row', 'Handle,Title,Vendor\na,A\n', 'x.csv:2, column "Vendor": the record has 2 cells'],
    ['an open quote', 'Handle,Title\na,A\nb,"B\nc,C\n', 'x.csv:3: a quote is opened and never closed'],
  ])('%s', (_name, text, message) => {
    refused(text, message);
  });
});

describe('the demo catalogue', () => {
  const products = parseProductCsv(demoCatalogCsv(), 'products.csv');

  it('has about forty products of every kind that the demo shows', () => {
    expect(products.length).toBeGreaterThanOrEqual(40);
    expect(new Set(products.map((product) => product.status))).toEqual(
      new Set(['ACTIVE', 'DRAFT', 'ARCHIVED']),
    );
    expect(new Set(products.map((product) => product.optionNames.length))).toEqual(new Set([1, 2, 3]));
    expect(products.filter((product) => product.isGiftCard)).toHaveLength(1);
    expect(products.filter((product) => product.title.length === 255)).toHaveLength(1);
    expect(products.some((product) => product.images.length === 0)).toBe(true);
    expect(products.some((product) => product.descriptionHtml === '')).toBe(true);
    expect(products.some((product) => product.descriptionHtml.includes('<script>'))).toBe(true);
    for (const script of [/\p{sc=Han}/u, /\p{sc=Arabic}/u, /\p{Emoji_Presentation}/u, /[äöüß]/]) {
      expect(products.some((product) => script.test(product.title + product.descriptionHtml))).toBe(true);
    }
    for (const tag of ['sandbox-failed', 'sandbox-no-urls']) {
      expect(products.filter((product) => product.tags.includes(tag))).toHaveLength(1);
    }
  });
});
