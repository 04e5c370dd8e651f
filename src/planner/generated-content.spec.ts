import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { writeBackSettings } from '../../test/support/product-builders.js';
import type { WriteBackSettings, WrittenPart } from '../domain/store-settings.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { intendedValues, type GeneratedProduct } from './generated-content.js';
import { attributesOf } from './section-attributes.js';

function intendedOf(product: GeneratedProduct, over: Partial<WriteBackSettings> = {}): IntendedValue[] {
  return intendedValues(product, { ...writeBackSettings, ...over });
}

/** The metafield that a section with one attribute becomes; undefined when the attribute is omitted. */
function metafieldOf(value: unknown): { type: string | null; value: string } | undefined {
  const [made] = intendedOf({ sections: [{ attribute: value }] });
  return made && { type: made.type, value: made.value };
}

describe('two mapped codes that give one key', () => {
  const settings = {
    ...writeBackSettings,
    fields: {},
    sections: null,
    attributes: { Größe: 'custom.size', Groesse: 'custom.other' },
  };
  const targetsOf = (section: Record<string, unknown>): string[] =>
    intendedValues({ sections: [section] }, settings).map(({ target, value }) => `${target} ${value}`);

  it('each take the attribute that is named exactly so, whichever of them came', () => {
    expect(targetsOf({ Größe: 'L' })).toEqual(['metafield:custom.size L']);
    expect(targetsOf({ Groesse: 'M' })).toEqual(['metafield:custom.other M']);
    expect(targetsOf({ Größe: 'L', Groesse: 'M' }).toSorted()).toEqual([
      'metafield:custom.other M',
      'metafield:custom.size L',
    ]);
  });
});

it('a short description goes to its place as text or markup, and is compared with what was pushed', () => {
  const fields = { description: 'shortDescription' as const };
  const place = { target: 'metafield:product.short_description', from: 'description' };
  expect(intendedOf({ description: 'Warm & <i>light</i>' }, { fields })).toEqual([
    { ...place, value: 'Warm &amp; <i>light</i>', type: 'multi_line_text_field', raw: 'Warm & <i>light</i>' },
  ]);
  expect(intendedOf({ description: ' ' }, { fields })).toEqual([]);
});

it('a list longer than the store’s lists is kept as JSON', () => {
  const [value] = intendedValues(
    { sections: [{ parts: Array.from({ length: 129 }, (_each, index) => index) }] },
    { ...writeBackSettings, fields: {} },
  );
  expect(value).toMatchObject({ type: 'json' });
});

describe('a result beyond all measure', () => {
  const sections = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ [`a${String(index)}`]: 1 }));

  it('gives its first 250 attributes, and says that there were more', () => {
    expect(intendedOf({ sections: sections(250) })).toHaveLength(250);
    const values = intendedOf({ sections: sections(100_000) });
    expect(values).toHaveLength(251);
    expect(values.filter(({ withheld }) => withheld !== undefined)).toMatchObject([
      {
        target: 'metafield:catalog.a250',
        withheld: 'the result has more attributes than the 250 that are taken',
      },
    ]);
    expect(
      intendedOf({ sections: [Object.fromEntries(sections(100_000).flatMap(Object.entries))] }),
    ).toHaveLength(251);
    expect(intendedOf({ sections: Array.from({ length: 100_000 }, () => ({ a1: 1 })) }).length).toBeLessThan(
      3,
    );
  });

  it('loses a text that no store would hold, and says so', () => {
    const [value] = intendedOf({ html_description: 'x'.repeat(600_000) });
    expect(value).toMatchObject({
      target: 'descriptionHtml',
      value: '',
      withheld: expect.stringContaining('600000'),
    });
  });

  it('is sanitised as far as its first million characters', () => {
    const texts = Array.from({ length: 30 }, (_, index) => ({ [`a${String(index)}`]: 'x'.repeat(60_000) }));
    const values = intendedOf({ sections: texts });
    expect(values.filter(({ withheld }) => withheld === undefined)).toHaveLength(16);
    expect(values.at(-1)?.withheld).toContain('1000000 characters');
  });

  it('loses what is nested beyond measure, and says so', () => {
    const deep: unknown = JSON.parse('['.repeat(10_000) + ']'.repeat(10_000));
    expect(intendedOf({ sections: [{ deep }, { flat: 1 }] })).toMatchObject([
      { target: 'metafield:catalog.deep', withheld: 'it is nested too deep, or has too many parts' },
      { target: 'metafield:catalog.flat', value: '1' },
    ]);
  });
});

describe('mapped fields', () => {
  it('are sanitised for their target, and keep the result’s own text for comparison', () => {
    const product = { name: ' <b>Steel</b> bottle ', html_description: '<p onclick="x()">Fine</p>' };
    expect(intendedOf(product)).toEqual([
      { target: 'title', value: 'Steel bottle', type: null, from: 'name', raw: ' <b>Steel</b> bottle ' },
      {
        target: 'descriptionHtml',
        value: '<p>Fine</p>',
        type: null,
        from: 'html_description',
        raw: '<p onclick="x()">Fine</p>',
      },
    ]);
  });

  it.each<[string, GeneratedProduct]>([
    ['absent', {}],
    ['null', { name: null, html_description: null, sections: null }],
    ['white space', { name: ' \n\t', html_description: ' ' }],
    ['markup around nothing', { name: '<b></b>', html_description: '<p>&nbsp;</p><br>' }],
    ['nothing but a script', { name: '<script>x</script>', html_description: '<script>x</script>' }],
  ])('are never written blank: %s', (_what, product) => {
    expect(intendedOf(product)).toEqual([]);
  });

  it('are those that the configuration names, to the target it names', () => {
    const fields = {
      brand: 'vendor',
      category: 'productType',
      description: 'seo.description',
      'sections.Meta Title': 'seo.title',
      sku: 'title',
    } as const;
    const product = {
      name: 'n',
      brand: 'b',
      category: 'c',
      description: 'd',
      sections: [{ 'meta title': 's' }],
      sku: 'never',
    };
    expect(
      intendedOf(product, { fields, sections: null }).map(({ target, value }) => [target, value]),
    ).toEqual([
      ['vendor', 'b'],
      ['productType', 'c'],
      ['seo.description', 'd'],
      ['seo.title', 's'],
    ]);
  });

  it.each<[unknown, string | undefined]>([
    [5, '5'],
    [false, 'false'],
    [['a'], undefined],
    [{ a: 1 }, undefined],
    [null, undefined],
  ])('take the section %j as the text %j', (value, expected) => {
    const fields = { 'sections.x_1': 'seo.title' } as const;
    const [made] = intendedOf({ sections: [{ x_1: value }] }, { fields, sections: null });
    expect(made?.value).toBe(expected);
  });

  it('take the attribute that the setting names, also where another one has the plain key', () => {
    const settings = {
      ...writeBackSettings,
      sections: null,
      fields: { 'sections.Größe': 'seo.title' as const },
    };
    const sections = [{ groesse: 'of the plain key' }, { Größe: 'of the named one' }];
    expect(intendedValues({ sections }, settings)).toMatchObject([
      { target: 'seo.title', value: 'of the named one' },
    ]);
    expect(intendedValues({ sections: sections.toReversed() }, settings)).toMatchObject([
      { target: 'seo.title', value: 'of the named one' },
    ]);
    expect(intendedValues({ sections: sections.slice(0, 1) }, settings)).toMatchObject([
      { target: 'seo.title', value: 'of the plain key' },
    ]);
  });

  it('are cut to the store’s 255 characters without halving a word or a character', () => {
    expect(intendedOf({ name: 'x'.repeat(255) })[0]?.value).toHaveLength(255);
    expect(intendedOf({ name: 'x'.repeat(256) })[0]?.value).toBe('x'.repeat(255));
    const words = `${'x'.repeat(230)} Steel bottle, large`;
    expect(intendedOf({ name: `${words}, blue` })[0]?.value).toBe(words);
    expect(intendedOf({ name: `${words}${'y'.repeat(9)}` })[0]?.value).toBe(words.replace(', large', ''));
    expect(intendedOf({ name: `${'x'.repeat(254)}🧴` })[0]?.value).toBe('x'.repeat(254));
    expect(intendedOf({ name: `${'x'.repeat(253)}🧴🧴` })[0]?.value).toBe(`${'x'.repeat(253)}🧴`);
    expect(intendedOf({ name: `${'x'.repeat(254)} y` })[0]?.value).toBe('x'.repeat(254));
  });

  it('of search engines have no such limit', () => {
    const fields = { name: 'seo.title' } as const;
    expect(intendedOf({ name: 'x'.repeat(300) }, { fields })[0]?.value).toHaveLength(300);
  });

  it('hold nothing that a database would refuse', () => {
    const [made] = intendedOf({ name: 'a\u0000b\ud800' });
    expect(made).toMatchObject({ value: 'ab\ufffd', raw: 'ab\ufffd' });
  });
});

describe('sections', () => {
  it('become metafields of the configured namespace', () => {
    expect(intendedOf({ sections: [{ Material: 'Steel' }] }, { sections: { namespace: 'ours' } })).toEqual([
      {
        target: 'metafield:ours.material',
        value: 'Steel',
        type: 'single_line_text_field',
        from: 'sections.material',
        raw: null,
      },
    ]);
  });

  it('are left alone where no namespace is configured', () => {
    expect(intendedOf({ sections: [{ Material: 'Steel' }] }, { sections: null })).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, unknown>>[], Readonly<Record<string, unknown>>]>([
    ['one that names itself', [{ code: 'material', value: 'Steel' }], { material: 'Steel' }],
    ['one with a name and content', [{ name: 'Care', content: 'Wash' }], { care: 'Wash' }],
    ['one with several names: code', [{ title: 'A', label: 'B', key: 'k', code: 'c', value: 1 }], { c_: 1 }],
    ['one whose first name is blank: the next', [{ code: ' ', title: 'Ab', value: 1 }], { ab: 1 }],
    ['one whose name is no text: its members', [{ code: 5, value: 1 }], { code: 5, value: 1 }],
    ['one with a name alone: its members', [{ name: 'Bottle', size: 'S' }], { name: 'Bottle', size: 'S' }],
    ['one with free-form keys: its members', [{ size: 'S', weight: 2 }], { size: 'S', weight: 2 }],
    ['one that names itself without a value', [{ code: 'ab', value: null }], { ab: null }],
    ['names that come to one key: numbers', [{ 'A b': 1 }, { a_b: 2 }], { a_b_2: 1, a_b: 2 }],
    ['an empty one', [{}], {}],
    ['names without a Latin letter', [{ 材料: 1, '!?': 2, '': 3 }], { cailiao: 1, attribute_6918d954: 2 }],
    ['prototype members', [JSON.parse('{"__proto__": 1, "constructor": 2}')], { proto: 1, constructor: 2 }],
  ])('%s', (_what, sections, expected) => {
    expect([...attributesOf({ sections }).byKey]).toEqual(Object.entries(expected));
  });

  it.each<[unknown, string, string]>([
    ['Steel', 'single_line_text_field', 'Steel'],
    ['  Steel ', 'single_line_text_field', 'Steel'],
    ['a\nb', 'multi_line_text_field', 'a\nb'],
    ['<p>Wash <script>x</script>cold</p>', 'multi_line_text_field', '<p>Wash cold</p>'],
    ['less than < 5 cm', 'single_line_text_field', 'less than < 5 cm'],
    [true, 'boolean', 'true'],
    [0, 'number_integer', '0'],
    [9007199254740991, 'number_integer', '9007199254740991'],
    [0.5, 'number_decimal', '0.5'],
    [1e-7, 'number_decimal', '0.0000001'],
    [1 / 3, 'number_decimal', '0.333333333'],
    [['a', '<b>b</b>'], 'list.single_line_text_field', '["a","b"]'],
    [['a', null, ''], 'list.single_line_text_field', '["a"]'],
    [[1, 2], 'list.number_integer', '[1,2]'],
    [[1, 'a'], 'json', '[1,"a"]'],
    [[1.5], 'json', '[1.5]'],
    [{ a: { b: [1, null, true] } }, 'json', '{"a":{"b":[1,null,true]}}'],
  ])('the value %j has the type %s and is %j', (raw, type, value) => {
    expect(metafieldOf(raw)).toEqual({ type, value });
  });

  it.each([null, undefined, '', '  ', '<p></p>', [], [null, ''], ['<i></i>'], {}, NaN, Infinity])(
    'the value %j says nothing and is left out',
    (raw) => {
      expect(metafieldOf(raw)).toBeUndefined();
    },
  );

  it.each([1e30, -1e30, 1e21, 9007199254740992, 1e13 + 0.5])(
    'the number %d, which the store cannot hold, is left out and not changed into another',
    (raw) => {
      expect(metafieldOf(raw)).toBeUndefined();
    },
  );

  it('every decimal is written as a number of the same worth, to nine places', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e12, max: 1e12, noNaN: true }), (raw) => {
        const made = metafieldOf(raw);
        expect(made?.value).toMatch(/^-?\d+(\.\d{1,9})?$/);
        expect(Math.abs(Number(made?.value) - raw)).toBeLessThanOrEqual(1e-9);
      }),
    );
  });

  it('every text in JSON is sanitised, names included', () => {
    const raw = { '<img src=x onerror=alert(1)>a': [{ html: '<p onclick="x()">b</p><script>c</script>' }] };
    expect(metafieldOf(raw)).toEqual({ type: 'json', value: '{"a":[{"html":"<p>b</p>"}]}' });
    expect(metafieldOf([1, '<script>x</script>y'])?.value).toBe('[1,"y"]');
  });

  it('a value that the store cannot hold for its size is left out, the others are kept', () => {
    expect(metafieldOf('x'.repeat(65_536))?.value).toHaveLength(65_536);
    expect(metafieldOf('x'.repeat(65_537))).toBeUndefined();
    expect(metafieldOf('é'.repeat(32_769))).toBeUndefined();
    const sections = [{ long: 'x'.repeat(65_537), short: 'y' }];
    expect(intendedOf({ sections }).map(({ target }) => target)).toEqual(['metafield:catalog.short']);
  });

  it('whatever the service sends, no value is blank and no two have the same target', () => {
    const section = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    fc.assert(
      fc.property(fc.array(section, { maxLength: 4 }), (sections) => {
        const made = intendedOf({ sections });
        expect(new Set(made.map(({ target }) => target)).size).toBe(made.length);
        for (const { value, target } of made) {
          expect(value.trim()).not.toBe('');
          expect(target).toMatch(/^metafield:catalog\.[a-z0-9_-]{2,64}$/);
        }
      }),
    );
  });
});

describe('a generated text that says nothing', () => {
  // placeholders.spec has the other texts that say nothing.
  it.each(['nan', ' null ', '\u200b\u200b', ''])('never becomes a value of the store: %j', (text) => {
    const fields: Record<string, WrittenPart> = {
      ...{ name: 'title', html_description: 'descriptionHtml', brand: 'vendor', category: 'productType' },
      ...{ 'sections.tags': 'tags', 'sections.alt': 'images[].alt', 'sections.meta': 'seo.title' },
    };
    const product = {
      ...{ name: text, html_description: `<p>${text}</p>`, brand: text, category: text },
      sections: ['tags', 'alt', 'meta', 'note', 'list'].map((code) => ({
        code,
        value: code === 'list' || code === 'tags' ? [text, `<b>${text}</b>`] : text,
      })),
    };
    expect(intendedOf(product, { fields })).toEqual([]);
  });

  it('is left out of a list, and the others stay', () => {
    const [value] = intendedOf({ sections: [{ colours: ['Red', 'nan', '\u200b', 'Blue'] }] });
    expect(value?.value).toBe('["Red","Blue"]');
  });

  it('is no brand and no category, as in a store', () => {
    const fields = { brand: 'vendor', category: 'productType' } as const;
    expect(intendedOf({ brand: 'Unknown', category: 'Uncategorized' }, { fields })).toEqual([]);
    expect(intendedOf({ brand: 'Acme', category: 'Home > Lamps' }, { fields })).toHaveLength(2);
  });

  it('is not the letter of a word', () => {
    const [title] = intendedOf({ name: 'Nan’s lamp' });
    expect(title?.value).toBe('Nan’s lamp');
  });
});
