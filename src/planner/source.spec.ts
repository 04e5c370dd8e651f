import { imageKeysText } from '../domain/image-key.js';
import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_MAPPING,
  metafield,
  rules,
  snapshot,
  variant,
  writeBackSettings,
  SHOP,
} from '../../test/support/product-builders.js';
import type { ProductSnapshot } from '../domain/snapshot.js';
import { afterWrite, valueHash, type WrittenContent } from '../domain/written-content.js';
import {
  effectiveSnapshot,
  isMappedAttribute,
  isSourceMetafield,
  seenFields,
  sourceFingerprint,
  sourceRules,
  writableFields,
} from './source.js';

const mapped = rules({ openAttributes: ['custom.*', 'specs.weight'], mpn: 'ids.mpn', asin: 'ids.asin' });

describe('effectiveSnapshot', () => {
  it('of a product that was never written is the product', () => {
    const read = snapshot();
    expect(effectiveSnapshot(read, null)).toBe(read);
    expect(effectiveSnapshot(read, {})).toEqual(read);
  });

  it('puts every field that holds our text back to what the merchant means', () => {
    const merchants = snapshot({ seoTitle: 'SEO', seoDescription: null });
    const written: WrittenContent = Object.fromEntries(
      Object.entries(writableFields(merchants)).map(([target, value]) => [
        target,
        afterWrite(undefined, `generated ${target}`, value),
      ]),
    );
    const read = snapshot({
      title: 'generated title',
      descriptionHtml: 'generated descriptionHtml',
      seoTitle: 'generated seo.title',
      seoDescription: 'generated seo.description',
      vendor: 'generated vendor',
      productType: 'generated productType',
    });
    expect(effectiveSnapshot(read, written)).toEqual(merchants);
  });

  it('holds of a metafield’s translations only what the merchant wrote', () => {
    const written: WrittenContent = {
      'fr:metafield:custom.material': afterWrite(undefined, 'Généré', null),
      'de:metafield:custom.material': afterWrite(undefined, 'Erzeugt', 'Wolle'),
    };
    const field = {
      ...metafield('custom.material', 'Wool'),
      translations: { fr: 'Généré', de: 'Erzeugt', it: 'Lana' },
    };
    expect(effectiveSnapshot(snapshot({ metafields: [field] }), written).metafields).toEqual([
      { ...metafield('custom.material', 'Wool'), translations: { de: 'Wolle', it: 'Lana' } },
    ]);
  });

  it('holds of further languages only what the merchant wrote', () => {
    const written: WrittenContent = {
      'fr:title': afterWrite(undefined, 'Générée', 'Bouteille'),
      'de:descriptionHtml': afterWrite(undefined, '<p>Erzeugt</p>', null),
    };
    const translations = {
      fr: { title: 'Générée', descriptionHtml: '<p>Un litre.</p>' },
      de: { title: 'Flasche', descriptionHtml: '<p>Erzeugt</p>' },
    };
    expect(effectiveSnapshot(snapshot({ translations }), written).translations).toEqual({
      fr: { title: 'Bouteille', descriptionHtml: '<p>Un litre.</p>' },
      de: { title: 'Flasche' },
    });
    expect(effectiveSnapshot(snapshot({ translations: null }), written).translations).toBeNull();
    expect(effectiveSnapshot(snapshot(), written)).not.toHaveProperty('translations');
  });

  it('of a title that replaced nothing is the empty text', () => {
    const written = { title: afterWrite(undefined, 'generated', null) };
    expect(effectiveSnapshot(snapshot({ title: 'generated' }), written).title).toBe('');
  });

  it('treats our metafields as what they replaced, also in a namespace that is no longer filled', () => {
    const written = {
      'metafield:custom.material': afterWrite(undefined, 'generated', null),
      'metafield:custom.colour': afterWrite(undefined, 'generated', 'red'),
    };
    const read = snapshot({
      metafields: [
        metafield('custom.material', 'generated'),
        metafield('custom.colour', 'generated'),
        metafield('custom.care', 'wash'),
      ],
    });
    expect(effectiveSnapshot(read, written).metafields).toEqual([
      metafield('custom.colour', 'red'),
      metafield('custom.care', 'wash'),
    ]);
  });
});

describe('sourceFingerprint', () => {
  const mpn = metafield('ids.mpn', 'M-1');
  const base = snapshot({
    options: [{ name: 'Size', values: ['S', 'M'] }],
    hasOnlyDefaultVariant: false,
    variants: [variant({ id: '11', title: 'S', options: [{ name: 'Size', value: 'S' }] })],
    metafields: [metafield('custom.care', 'wash'), mpn],
  });
  const own = base.variants[0]!;

  it.each<[string, Partial<ProductSnapshot>]>([
    ['title', { title: 'Other' }],
    ['description', { descriptionHtml: null }],
    ['vendor', { vendor: null }],
    ['product type', { productType: 'Flasks' }],
    ['category', { category: 'Home > Bottles' }],
    ['address', { url: null }],
    ['handle', { handle: 'flask' }],
    ['status', { status: 'DRAFT' }],
    ['tags', { tags: [] }],
    ['images', { imageUrls: [] }],
    ['kind (variants or not)', { hasOnlyDefaultVariant: true }],
    ['option names', { options: [{ name: 'Height', values: ['S', 'M'] }] }],
    ['option values', { options: [{ name: 'Size', values: ['S'] }] }],
    ['variants', { variants: [] }],
    ['a variant’s sku', { variants: [{ ...own, sku: null }] }],
    ['a variant’s title', { variants: [{ ...own, title: 'M' }] }],
    ['a variant’s image', { variants: [{ ...own, imageUrls: ['https://cdn.example.com/s.jpg'] }] }],
    ['a variant’s weight', { variants: [{ ...own, weight: '2 kg' }] }],
    ['a variant’s metafield', { variants: [{ ...own, metafields: [metafield('ids.mpn', 'V-1')] }] }],
    ['a variant’s options', { variants: [{ ...own, options: [] }] }],
    ['a mapped metafield', { metafields: [metafield('custom.care', 'dry'), mpn] }],
    ['a mapped metafield’s type', { metafields: [metafield('custom.care', 'wash', 'json'), mpn] }],
    ['the part number', { metafields: [metafield('custom.care', 'wash'), metafield('ids.mpn', 'M-2')] }],
  ])('moves with the %s', (_what, change) => {
    expect(sourceFingerprint({ ...base, ...change }, mapped)).not.toBe(sourceFingerprint(base, mapped));
  });

  it.each<[string, Partial<ProductSnapshot>]>([
    ['the SEO texts, which the catalog never sees', { seoTitle: 'x', seoDescription: 'y' }],
    ['metafields that nobody mapped', { metafields: [...base.metafields, metafield('other.x', 'y')] }],
    ['the namespace of write-back', { metafields: [...base.metafields, metafield('catalog.x', 'y')] }],
  ])('stays with a change of %s', (_what, change) => {
    expect(sourceFingerprint({ ...base, ...change }, mapped)).toBe(sourceFingerprint(base, mapped));
  });

  it('moves with the product type also where a category stands beside it', () => {
    const category = 'Home > Bottles';
    const before = sourceFingerprint({ ...base, category, productType: 'a' }, mapped);
    expect(sourceFingerprint({ ...base, category, productType: 'b' }, mapped)).not.toBe(before);
  });

  it('moves with a text in a further language, and not with the order of the languages', () => {
    const of = (translations: ProductSnapshot['translations']): string =>
      sourceFingerprint({ ...snapshot(), ...(translations === undefined ? {} : { translations }) }, mapped);
    const french = { title: 'Bouteille' };
    const german = { descriptionHtml: '<p>Ein Liter.</p>' };
    expect(of({ fr: french, de: german })).toBe(of({ de: german, fr: french }));
    const different = [of(undefined), of(null), of({}), of({ fr: french }), of({ de: french })];
    expect(new Set(different).size).toBe(different.length);
  });

  it('does not know the image of the only variant of a product without options', () => {
    const standalone = { ...base, hasOnlyDefaultVariant: true };
    const variants = [{ ...own, imageUrls: ['https://cdn.example.com/s.jpg'] }];
    expect(sourceFingerprint({ ...standalone, variants }, mapped)).toBe(
      sourceFingerprint(standalone, mapped),
    );
  });

  it('moves with the rules', () => {
    expect(sourceFingerprint(base, rules())).not.toBe(sourceFingerprint(base, mapped));
  });
});

describe('sourceRules', () => {
  const mapping = DEFAULT_MAPPING;
  const { version } = sourceRules(SHOP, mapping, writeBackSettings);

  it('have another version for another shop, mapping or namespace', () => {
    const others = [
      sourceRules('other.myshopify.com', mapping, writeBackSettings),
      sourceRules(SHOP, { ...mapping, mpn: 'ids.mpn' }, writeBackSettings),
      sourceRules(SHOP, mapping, { ...writeBackSettings, sections: null }),
    ];
    expect(new Set([version, ...others.map((each) => each.version)]).size).toBe(4);
  });

  it('have another version for other further languages, whatever their order', () => {
    const under = (locales: string[]): string =>
      sourceRules(SHOP, DEFAULT_MAPPING, { ...writeBackSettings, locales }).version;
    expect(under(['fr', 'de'])).toBe(under(['de', 'fr']));
    expect(new Set([under([]), under(['fr']), under(['fr', 'de'])]).size).toBe(3);
  });

  it('keep their version when only the way of writing back changes', () => {
    const other = sourceRules(SHOP, mapping, {
      ...writeBackSettings,
      mode: 'review',
      onConflict: 'overwrite',
    });
    expect(other.version).toBe(version);
  });
});

describe('metafields by configuration', () => {
  it.each<[string, boolean]>([
    ['custom.anything', true],
    ['specs.weight', true],
    ['specs.height', false],
    ['customer.x', false],
    ['other.x', false],
  ])('%s mapped as attribute: %s', (name, expected) => {
    expect(isMappedAttribute(metafield(name, 'x'), mapped)).toBe(expected);
  });

  it('the namespace that write-back fills is never source, whatever the mapping says', () => {
    const greedy = rules({ openAttributes: ['catalog.*', 'catalog.x'] });
    expect(isMappedAttribute(metafield('catalog.x', 'y'), greedy)).toBe(false);
    expect(isSourceMetafield(metafield('catalog.x', 'y'), greedy)).toBe(false);
  });

  it('part number and ASIN are source besides the attributes', () => {
    expect(isSourceMetafield(metafield('ids.mpn', 'x'), mapped)).toBe(true);
    expect(isSourceMetafield(metafield('ids.asin', 'x'), mapped)).toBe(true);
    expect(isSourceMetafield(metafield('ids.other', 'x'), mapped)).toBe(false);
  });
});

it('the seen values are hashes of the live ones, not of the effective ones', () => {
  expect(seenFields(snapshot({ title: 'generated', vendor: null }))).toEqual({
    title: valueHash('generated'),
    category: valueHash(null),
    descriptionHtml: valueHash('<p>Holds a litre.</p>'),
    'seo.title': valueHash(null),
    'seo.description': valueHash(null),
    vendor: valueHash(null),
    productType: valueHash('Bottles'),
    'images[].alt': imageKeysText(['https://cdn.example.com/1.jpg']),
  });
});

it('a short description is seen where the kind of store has one, also an empty one', () => {
  expect(seenFields(snapshot({ shortDescription: null }))).toMatchObject({
    'metafield:product.short_description': valueHash(null),
  });
});
