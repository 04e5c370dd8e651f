import { describe, expect, it } from '@jest/globals';
import {
  intended,
  live,
  decide,
  ourText,
  writeBackContext,
  writeBackSettings,
} from '../../test/support/product-builders.js';
import { imageKeysText } from '../domain/image-key.js';
import type { LiveImage, LiveProduct } from '../domain/store-port.js';
import type { IntendedValue } from '../domain/write-back-journal.js';
import { arrivedForVariants } from './arrived-content.js';
import { editedValue } from './edited-value.js';
import { intendedForVariants, intendedValues, variantsOf } from './generated-content.js';
import { decideFields } from './plan-write-back.js';

const VARIANT = 'shopify:example.myshopify.com:1:101';

function values(value: unknown, target: 'tags' | 'images[].alt'): string[] {
  const settings = { ...writeBackSettings, sections: null, fields: { 'sections.part': target } };
  const product = { sections: [{ code: 'part', value }] };
  return intendedValues(product, settings).map((each) => `${each.target} ${each.value}`);
}

describe('tags of a result', () => {
  it.each<[string, unknown, string[]]>([
    ['a text with commas', 'Red, Blue ,,red', ['tags:red Red', 'tags:blue Blue']],
    ['a list, also with commas', ['Red', 'Blue, A'], ['tags:red Red', 'tags:blue Blue', 'tags:a A']],
    ['markup, as text', ['<b>Red</b><script>alert(1)</script>'], ['tags:red Red']],
    ['a text that is too long, cut', ['x'.repeat(300)], [`tags:${'x'.repeat(255)} ${'x'.repeat(255)}`]],
    ['entries that are no texts, none', [1, null, { a: 'b' }, true], []],
    ['blanks, none', ' , ', []],
  ])('are made of %s', (_what, value, expected) => {
    expect(values(value, 'tags')).toEqual(expected);
  });

  it('are no more than a product takes', () => {
    const many = Array.from({ length: 400 }, (_, index) => `tag ${String(index)}`);
    expect(values(many, 'tags')).toHaveLength(250);
  });
});

it.each<[string, unknown, string[]]>([
  ['a text, cut to what the store takes', 'x'.repeat(600), [`images[].alt ${'x'.repeat(512)}`]],
  ['a list, entry by entry', ['Front', 7, '<i>Back</i>'], ['images[].alt ["Front","","Back"]']],
  ['a list without texts, none', [1, ''], []],
  ['nothing, none', undefined, []],
])('alternative texts of a result are made of %s', (_what, value, expected) => {
  expect(values(value, 'images[].alt')).toEqual(expected);
});

function image(id: string, alt: string | null, address: string | null = null): LiveImage {
  return { id, alt, address, isReady: true };
}

describe('the decision about alternative texts', () => {
  const text: IntendedValue = intended({
    target: 'images[].alt',
    value: 'A shirt',
    from: 'sections.alt',
    raw: 'A shirt',
  });
  const withImages = (...alts: (string | null)[]): LiveProduct => ({
    ...live(),
    images: alts.map((alt, place) => image(String(place), alt)),
  });

  it('writes where there is none, replaces ours, and leaves the merchant’s', () => {
    const written = { 'image-alt:1': ourText('Ours', null), 'image-alt:3': ourText('Ours', null) };
    const decisions = decideFields(
      [text],
      withImages('Mine', 'Ours', null, 'Edited'),
      writeBackContext({ written }),
    );
    expect(decisions.map(({ target, verdict }) => [target, verdict])).toEqual([
      ['image-alt:0', 'same'],
      ['image-alt:1', 'write'],
      ['image-alt:2', 'write'],
      ['image-alt:3', 'same'],
    ]);
  });

  it('leaves empty what the merchant emptied after us', () => {
    const written = { 'image-alt:0': ourText('Ours', null) };
    expect(decide(text, withImages(null), { written })).toMatchObject({
      verdict: 'conflict',
      target: 'image-alt:0',
    });
  });

  describe('of a list', () => {
    const list = intended({
      ...{ target: 'images[].alt', from: 'sections.alt', raw: null },
      ...{ value: '["Front","","Back"]', type: 'list.single_line_text_field' },
    });
    const address = (name: string, query = ''): string => `https://cdn.example.com/${name}.jpg${query}`;
    const seen = { 'images[].alt': imageKeysText(['1', '2', '3'].map((name) => address(name))) };
    const shown = (...names: string[]): LiveProduct => ({
      ...live(),
      images: names.map((name) => image(`id-${name}`, null, address(name, '?v=2'))),
    });
    const placed = (product: LiveProduct, context: object = { seen }) =>
      decideFields([list], product, writeBackContext(context)).map(
        ({ target, value, verdict, reason }) => `${target}: ${verdict === 'write' ? value : reason}`,
      );
    const front = 'image-alt:id-1: Front';
    const back = 'image-alt:id-3: Back';
    const notShown = (texts: string) =>
      `images[].alt: ${texts} left out: the product does not show the image now`;

    it.each<[string, string[], string[]]>([
      ['as it was', ['1', '2', '3'], [front, back]],
      ['in another order', ['3', '2', '1'], [front, back]],
      ['with a new first image', ['0', '1', '2', '3'], [front, back]],
      ['without its first image', ['2', '3'], [back, notShown('1 text is')]],
      ['of other images', ['7', '8'], [notShown('2 texts are')]],
    ])('each text goes to its own image of a product %s', (_what, names, expected) => {
      expect(placed(shown(...names))).toEqual(expected);
    });

    it('a text waits for an image that the store still processes, and says so', () => {
      const product = shown('1', '3');
      const images = (product.images ?? []).map((each) => ({ ...each, isReady: each.id !== 'id-1' }));
      expect(placed({ ...product, images })).toEqual([
        back,
        'images[].alt: 1 text is left out: the store still processes the image',
      ]);
      const unknown = images.map((each) => (each.isReady ? each : { ...each, address: null }));
      expect(placed({ ...product, images: unknown })).toEqual([back, notShown('1 text is')]);
    });

    it('nothing is written where the images of the time are not known', () => {
      expect(placed(shown('1', '2', '3'), { seen: {} })).toEqual([
        'images[].alt: it is not known which images the texts were written for',
      ]);
    });

    it('an image that is there twice takes its texts in order', () => {
      const twice = { 'images[].alt': imageKeysText(['1', '2', '1'].map((name) => address(name))) };
      const product = shown('1', '2', '1');
      const images = (product.images ?? []).map((each, place) => ({ ...each, id: String(place) }));
      expect(placed({ ...product, images }, { seen: twice })).toEqual([
        'image-alt:0: Front',
        'image-alt:2: Back',
      ]);
    });
  });

  it('knows what an earlier attempt left', () => {
    const sentBefore = { 'image-alt:0': { value: 'A shirt', before: null } };
    expect(decide(text, withImages('A shirt'), { sentBefore })).toMatchObject({ verdict: 'written_before' });
  });
});

describe('a category that was never read', () => {
  const category = intended({ target: 'category', value: 'Shirts', from: 'category', raw: 'Shirts' });
  const categories = new Map([['Shirts', [{ id: '1', fullName: 'Apparel > Shirts' }]]]);

  it('is written while there is none, and not over that of somebody else', () => {
    const known = { categories, seen: { title: 'of an earlier release' } };
    expect(decide(category, live(), known)).toMatchObject({ verdict: 'write', value: 'Apparel > Shirts' });
    expect(decide(category, live({ category: 'Toys' }), known)).toMatchObject({ verdict: 'conflict' });
  });
});

describe('variants of a result', () => {
  const settings = { variants: { 'sections.Main Colour': 'custom.colour', description: 'custom.text' } };
  const content = {
    external_id: VARIANT,
    name: 'Small',
    description: 'A <script>x</script>small one',
    sections: [
      { code: 'main_colour', value: 'Red' },
      { code: 'fit', value: 'slim' },
    ],
  };

  it('go to metafields of the variant alone, under the names of the setting', () => {
    const found = intendedForVariants(variantsOf({ variants: [content, { name: 'of nobody' }] }), settings);
    expect(found.map(({ target, value, from }) => [target, value, from])).toEqual([
      ['variant:101:metafield:custom.colour', 'Red', 'variants.101.sections.main_colour'],
      ['variant:101:metafield:custom.text', expect.stringContaining('small one'), 'variants.101.description'],
    ]);
    expect(found.every(({ value }) => !value.includes('script'))).toBe(true);
  });

  it('are listed once for each field, with the setting that would map it', () => {
    const variants = variantsOf({ variants: [content, { ...content, external_id: `${VARIANT}1` }] });
    expect(
      arrivedForVariants(variants, intendedForVariants(variants, settings), settings).map(
        ({ from, fate, setting }) => [from, fate, setting],
      ),
    ).toEqual([
      ['variants[].description', 'mapped', null],
      ['variants[].sections.main_colour', 'mapped', null],
      ['variants[].sections.fit', 'not_mapped', 'writeBack.variants'],
    ]);
  });
});

it('a person edits a text, and no tag or list of texts', () => {
  expect(editedValue(intended({ target: 'tags:red', value: 'Red' }), 'Blue')).toBeNull();
  expect(editedValue(intended({ target: 'images[].alt', value: 'x' }), 'y')).toBeNull();
});
