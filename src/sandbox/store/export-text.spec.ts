import { describe, expect, it } from '@jest/globals';
import { parseProductCsv, readProductCsv } from './csv.js';
import { decodeExport } from './export-text.js';

const EXPORT = 'Handle,Title\na,Größe – 5 €\n';

/** The text in an encoding that Buffer does not write. */
function windows1252(text: string): Buffer {
  return Buffer.from(text.replaceAll('€', '\u0080').replaceAll('–', '\u0096'), 'latin1');
}

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

it.each([
  ['UTF-8', Buffer.from(EXPORT)],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${EXPORT}`)],
  ['UTF-16LE with a mark', Buffer.from(`\uFEFF${EXPORT}`, 'utf16le')],
  ['UTF-16LE without a mark', Buffer.from(EXPORT, 'utf16le')],
  ['UTF-16BE with a mark', utf16be(`\uFEFF${EXPORT}`)],
  ['UTF-16BE without a mark', utf16be(EXPORT)],
  ['Windows-1252', windows1252(EXPORT)],
])('the encoding of an export is recognised %s', (_name, bytes) => {
  expect(decodeExport(bytes, 'x.csv')).toBe(EXPORT);
});

describe('a file of another kind is refused by name', () => {
  it.each([
    ['JSON', Buffer.from('{"products":[]}'), 'is JSON'],
    ['a workbook', Buffer.from('PK\u0003\u0004rest', 'latin1'), 'an Excel workbook'],
    ['a PDF', Buffer.from('%PDF-1.7'), 'is a PDF'],
    ['a gzip file', Buffer.from([0x1f, 0x8b, 0x08]), 'gzip'],
    ['a web page', Buffer.from('\n<!DOCTYPE html><html>'), 'is a web page'],
    ['a feed', Buffer.from('<?xml version="1.0"?><rss/>'), 'is XML'],
  ])('%s', (_name, bytes, kind) => {
    expect(() => decodeExport(bytes, 'x.dat')).toThrow(
      expect.objectContaining({
        code: 'invalid',
        message: expect.stringMatching(new RegExp(`^x\\.dat: .*${kind}.*; a product export of Shopify`)),
      }),
    );
  });

  it.each([
    ['WooCommerce', 'ID,Type,SKU,Name,Published,"Is featured?",Regular price\n1,simple,S,N,1,0,5\n'],
    ['Magento', 'sku,store_view_code,attribute_set_code,product_type,name\nS,,Default,simple,N\n'],
    ['PrestaShop', 'Product ID;Image;Name;Reference;Category\n1;;N;R;C\n'],
    ['Google Merchant Center', 'id\ttitle\tdescription\tlink\tavailability\n1\tT\tD\tL\tin stock\n'],
  ])('an export of %s', (system, text) => {
    expect(() => readProductCsv(text, 'x.csv')).toThrow(
      `is an export of ${system}; a product export of Shopify`,
    );
  });
});

describe('an export as spreadsheet programs save it', () => {
  it.each([
    ['semicolons', 'Handle;Title;Vendor\na;"Hat; red, large";V\n'],
    ['tabs', 'Handle\tTitle\tVendor\r\na\t"Hat; red, large"\tV\r\n'],
    ['commas', '\n\nHandle,Title,Vendor\na,"Hat; red, large",V\n'],
  ])('with %s is read', (_name, text) => {
    expect(parseProductCsv(text)).toMatchObject([{ handle: 'a', title: 'Hat; red, large', vendor: 'V' }]);
  });

  it('loses the apostrophe that keeps numbers text, in SKUs as in barcodes', () => {
    const text = "Handle,Title,Variant SKU,Variant Barcode\na,A,'00123,'4006381333931\n";
    expect(parseProductCsv(text)[0]?.variants).toMatchObject([{ sku: '00123', barcode: '4006381333931' }]);
  });

  it('without products is an error, not an empty shop', () => {
    expect(() => readProductCsv('Handle,Title\n', 'x.csv')).toThrow('x.csv: has a header and no products');
  });
});

it('a bad row with a value that is none costs its product alone', () => {
  const { products, problems } = readProductCsv('Handle,Title,Variant Grams\na,A,cheap\nb,B,2\n', 'x.csv');
  expect(products.map(({ handle }) => handle)).toEqual(['b']);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('x.csv:2, column "Variant Grams": "cheap"'),
  ]);
});
