import { describe, expect, it } from '@jest/globals';
import { DEFAULT_MAPPING, metafield, rules, snapshot, variant } from '../../test/support/product-builders.js';
import type { MappingSettings } from '../domain/store-settings.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import { toCatalogBody } from './map-to-catalog.js';
import { brandOf, categoryAndType, tagIds } from './product-facts.js';

const body = (product: Partial<ProductSnapshot>, mapping: Partial<MappingSettings> = {}) =>
  toCatalogBody(snapshot(product), rules(mapping));

const sizes = (...skus: (string | null)[]): Partial<ProductSnapshot> => ({
  hasOnlyDefaultVariant: false,
  options: [{ name: 'Size', values: skus.map((_sku, index) => String(index)) }],
  variants: skus.map((sku, index) =>
    variant({
      id: String(11 + index),
      title: String(index),
      sku,
      barcode: null,
      options: [{ name: 'Size', value: String(index) }],
    }),
  ),
});

describe('the category that the catalog gets', () => {
  it.each<[string | null, string | null, string | null, string | null]>([
    // category, product type → category, product type as an attribute
    ['Home > Bottles', null, 'Home > Bottles', null],
    ['Home > Bottles', 'Thermos', 'Home > Bottles', 'Thermos'],
    [null, 'Indoor', 'Indoor', null],
    ['Uncategorized', 'Necklace', 'Necklace', null],
    ['Home > Uncategorized', 'Vase', 'Vase', null],
    ['Home > Bottles', 'n/a', 'Home > Bottles', null],
    [null, '-', null, null],
    ['Non classé', 'Collier', 'Collier', null],
    ['Non classe\u0301', 'Collier', 'Collier', null],
    ['未分類', null, null, null],
    [null, null, null, null],
  ])(
    'is of %j with the type %j: %j, and the type %j an attribute',
    (category, productType, sentCategory, attribute) => {
      expect(categoryAndType({ category, productType })).toEqual({
        category: sentCategory,
        productType: attribute,
      });
    },
  );

  it('leaves the product type to the open attributes where there is a category', () => {
    expect(body({ category: 'Home > Bottles', productType: 'Thermos' })).toMatchObject({
      category: 'Home > Bottles',
      open_attributes: { product_type: 'Thermos' },
    });
  });
});

describe('the brand that the catalog gets', () => {
  it.each<[string | null, string, string | null]>([
    ['Acme', 'auto', 'Acme'],
    // The apparel export of a shop `partners-demo`: the vendor is the shop's own name.
    ['partners-demo', 'auto', null],
    ['Partners Demo', 'auto', null],
    ['Partners Demo Store', 'auto', null],
    ['Partners', 'auto', 'Partners'],
    ['partners-demo', 'vendor', 'partners-demo'],
    ['N/A', 'vendor', null],
    ['Ｎ／Ａ', 'auto', null],
    ['k.A.', 'auto', null],
    ['My Store', 'auto', null],
    ['KA', 'auto', 'KA'],
    ['Acme', 'custom.placeholder', null],
    ['Acme', 'custom.makers', 'Bosch'],
    ['Acme', 'custom.several', null],
    ['Acme', 'custom.reference', null],
    ['Rustic LTD', 'auto', 'Rustic LTD'],
    ['Acme', 'none', null],
    ['Acme', 'custom.maker', 'Bosch'],
    ['Acme', 'custom.absent', null],
    [null, 'auto', null],
  ])('of the vendor %j under %s is %j', (vendor, source, brand) => {
    const metafields = [
      metafield('custom.maker', ' Bosch '),
      metafield('custom.placeholder', 'N/A'),
      metafield('custom.makers', '["Bosch"]', 'list.single_line_text_field'),
      metafield('custom.several', '["Bosch","Acme"]', 'list.single_line_text_field'),
      metafield('custom.reference', 'gid://shopify/Metaobject/1', 'metaobject_reference'),
    ];
    const product = { vendor, metafields };
    expect(brandOf(product, source, { shop: 'partners-demo.myshopify.com' })).toBe(brand);
  });

  it.each([
    ['Lumière Maison', 'auto', null],
    ['lumiere maison store', 'auto', 'lumiere maison store'],
    ['The LUMIÈRE Maison Shop', 'auto', null],
    ['Lumière Maison', 'vendor', 'Lumière Maison'],
    ['Acme', 'auto', 'Acme'],
  ] as const)('of the vendor %j of a shop with a name of its own under %s is %j', (vendor, source, brand) => {
    const names = { shop: 'x7k2q9-3f.myshopify.com', shopName: 'Lumière Maison' };
    expect(brandOf({ vendor, metafields: [] }, source, names)).toBe(brand);
  });
});

describe('the address and reference of a product for the service', () => {
  const mapping = { sourceUrl: 'custom.page', referenceString: 'custom.reference' };

  it('come from the mapped metafields', () => {
    const metafields = [
      metafield('custom.page', 'https://maker.example/bottle', 'url'),
      metafield('custom.reference', 'Acme BOT-1'),
    ];
    expect(body({ metafields }, mapping).crawl_configuration).toEqual({
      source_url: 'https://maker.example/bottle',
      reference_string: 'Acme BOT-1',
    });
  });

  it.each([
    ['a relative address', 'maker.example/bottle', 'single_line_text_field'],
    ['a script', 'javascript:alert(1)', 'single_line_text_field'],
    ['a blank', ' ', 'single_line_text_field'],
    ['10,000 characters', `https://maker.example/${'x'.repeat(10_000)}`, 'url'],
    ['2,000 characters that grow when they are encoded', `https://maker.example/${'ß'.repeat(1900)}`, 'url'],
    ['two addresses', '["https://a.example","https://b.example"]', 'list.url'],
    ['an empty list', '[]', 'list.url'],
    ['half a list', '["https://a.example"', 'list.url'],
    ['a reference', 'gid://shopify/Page/1', 'page_reference'],
    ['a link to a script', '{"text":"Page","url":"javascript:alert(1)"}', 'link'],
    ['5 MB', `https://a.example/${'x'.repeat(5_000_000)}`, 'multi_line_text_field'],
  ])('is no page where the metafield holds %s', (_what, value, type) => {
    expect(body({ metafields: [metafield('custom.page', value, type)] }, mapping)).not.toHaveProperty(
      'crawl_configuration',
    );
  });

  it.each([
    ['https://maker.example/a b|c', 'single_line_text_field', 'https://maker.example/a%20b|c'],
    ['https://maker.example/größe', 'url', 'https://maker.example/gr%C3%B6%C3%9Fe'],
    ['https://maker.example', 'url', 'https://maker.example'],
    ['["https://maker.example/a"]', 'list.url', 'https://maker.example/a'],
    ['{"text":"Page","url":"https://maker.example/a"}', 'link', 'https://maker.example/a'],
  ])('of %j as %s is the page %s', (value, type, page) => {
    expect(
      body({ metafields: [metafield('custom.page', value, type)] }, mapping).crawl_configuration,
    ).toEqual({
      source_url: page,
    });
  });

  it('is no reference where the metafield holds a file’s worth of text, several texts or none', () => {
    for (const [value, type] of [
      ['x'.repeat(5_000_000), 'multi_line_text_field'],
      ['["a","b"]', 'list.single_line_text_field'],
      ['{"type":"root","children":[]}', 'rich_text_field'],
      ['{"a":1}', 'json'],
    ] as const)
      expect(body({ metafields: [metafield('custom.reference', value, type)] }, mapping)).not.toHaveProperty(
        'crawl_configuration',
      );
  });
});

describe('lists and tags of the service', () => {
  it('gives every product the codes of the store', () => {
    expect(body({}, { productLists: ['web', 'de'] }).product_lists).toEqual(['web', 'de']);
  });

  it('turns store tags into ids, each once and in order, whatever their letter case', () => {
    expect(tagIds(['SALE', 'new', 'other'], { sale: 12, New: 3, outlet: 12 })).toEqual([3, 12]);
    expect(body({ tags: ['sale', 'outlet'] }, { tags: { sale: 12, outlet: 12 } }).tags_to_update).toEqual([
      12,
    ]);
  });

  it('says nothing of them where nothing is mapped', () => {
    const sent = toCatalogBody(snapshot({ tags: ['sale'] }), rules(DEFAULT_MAPPING));
    expect(sent).not.toHaveProperty('tags_to_update');
    expect(sent).not.toHaveProperty('product_lists');
  });
});

describe('the images of variants', () => {
  const image = (name: string): string => `https://cdn.example.com/${name}.jpg`;
  const bracelet = (of: Readonly<Record<string, string[]>>): Partial<ProductSnapshot> => ({
    hasOnlyDefaultVariant: false,
    options: [{ name: 'Color', values: Object.keys(of) }],
    imageUrls: [image('anchor-gold'), image('anchor-silver')],
    variants: Object.entries(of).map(([title, imageUrls], index) =>
      variant({ id: String(11 + index), title, sku: null, barcode: null, imageUrls }),
    ),
  });

  const [gold, silver] = ['anchor-gold', 'anchor-silver'].map(image) as [string, string];
  // The jewellery export: three bracelets and pendants of two colours, with an image of each in the gallery.
  it.each<[Readonly<Record<string, string[]>>, (string | undefined)[]]>([
    [{ Gold: [gold], Silver: [silver] }, [gold, silver]],
    [{ Gold: [gold], Silver: [] }, [gold, undefined]],
    [{ Gold: [], Silver: [] }, [undefined, undefined]],
  ])('of %j are on the variants, and in the product’s list as before', (of, expected) => {
    const sent = body(bracelet(of));
    expect(sent.variants?.map(({ images }) => images?.[0]?.source_url)).toEqual(expected);
    expect(sent.images?.map(({ source_url }) => source_url)).toEqual([gold, silver]);
  });

  it('are only the product’s where it has one variant without options', () => {
    const sent = body({ imageUrls: [image('a')], variants: [variant({ imageUrls: [image('a')] })] });
    expect(sent).not.toHaveProperty('variants');
    expect(sent.images).toHaveLength(1);
  });
});

describe('facts of a variant', () => {
  const mapping = { mpn: 'ids.mpn', asin: 'ids.asin' };
  const facts = {
    weight: '250 g',
    metafields: [metafield('ids.mpn', 'MP-1'), metafield('ids.asin', 'B0ABC')],
  };

  it('are sent for each variant of a product model', () => {
    const sent = body(
      { ...sizes('A', 'B'), variants: [variant({ ...facts, title: 'S' }), variant({ id: '12', sku: 'B' })] },
      mapping,
    );
    expect(sent.variants?.[0]).toMatchObject({
      mpn: 'MP-1',
      asin: 'B0ABC',
      open_attributes: { weight: '250 g' },
    });
    expect(sent.variants?.[1]).not.toHaveProperty('mpn');
  });

  it('are the product’s where it is one variant, and stand behind its own', () => {
    expect(body({ variants: [variant(facts)] }, mapping)).toMatchObject({
      mpn: 'MP-1',
      asin: 'B0ABC',
      open_attributes: { weight: '250 g' },
    });
    const metafields = [metafield('ids.mpn', 'P-1')];
    expect(body({ metafields, variants: [variant(facts)] }, mapping).mpn).toBe('P-1');
  });

  it('are replaced by an option of the same name', () => {
    const sent = body({
      ...sizes('A'),
      variants: [variant({ weight: '250 g', options: [{ name: 'weight', value: 'heavy' }] })],
    });
    expect(sent.variants?.[0]?.open_attributes).toEqual({ weight: 'heavy' });
  });
});
