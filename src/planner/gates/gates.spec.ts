import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { GateSettings } from '../../domain/store-settings.js';
import { forbiddenBy, patternProblem } from '../../runtime/linear-pattern.js';
import { gateFindings, type GateContext, type GatedText } from './gates.js';
import { otherLanguage } from './language.js';
import { quantitiesIn } from './quantities.js';

const OFF: GateSettings = {
  title: { maxLength: 0 },
  descriptionHtml: { minLength: 0, maxLength: 0 },
  forbid: [],
  numbers: false,
  language: false,
  shrink: 0,
  media: false,
  onFail: 'review',
};

const SENTENCE =
  'This bottle keeps drinks cold all day long, and it is made of steel that does not rust at all.';

function findings(
  text: Partial<GatedText>,
  settings: Partial<GateSettings>,
  context: Partial<GateContext> = {},
): [string, string][] {
  const gates = { ...OFF, ...settings };
  return gateFindings([{ target: 'descriptionHtml', value: '', before: null, ...text }], gates, {
    locale: 'en',
    detect: () => new Map(),
    forbidden: forbiddenBy(gates.forbid),
    sourceTexts: [],
    attributeTexts: [],
    ...context,
  }).map(({ gate, detail }) => [gate, detail]);
}

describe('the gates of a generated text', () => {
  it('find nothing where all of them are off', () => {
    expect(
      findings({ value: `<p>${SENTENCE} 25 W</p>`, before: `<p>${SENTENCE.repeat(9)}</p>` }, {}),
    ).toEqual([]);
  });

  it.each<[string, Partial<GatedText>, Partial<GateSettings>, [string, string][]]>([
    [
      'a title that is too long',
      { target: 'title', value: 'x'.repeat(71) },
      { title: { maxLength: 70 } },
      [['length', '71 characters, at most 70 allowed']],
    ],
    [
      'a title of just that length',
      { target: 'title', value: 'ö'.repeat(70) },
      { title: { maxLength: 70 } },
      [],
    ],
    [
      'a description by its text, not by its markup',
      { value: '<p class="a-long-class-name">short</p>' },
      { descriptionHtml: { minLength: 10, maxLength: 0 } },
      [['length', '5 characters, at least 10 expected']],
    ],
    [
      'a forbidden phrase, in whatever letter case',
      { target: 'title', value: 'The BEST price' },
      { forbid: ['(?i)best price', '(?i)free shipping'] },
      [['forbid', '“BEST price” is forbidden']],
    ],
    [
      'a forbidden phrase in a metafield',
      { target: 'metafield:catalog.note', value: 'free shipping' },
      { forbid: ['free shipping'] },
      [['forbid', '“free shipping” is forbidden']],
    ],
    [
      'a description that shrinks',
      { value: '<p>12345</p>', before: '<p>1234567890123</p>' },
      { shrink: 0.5 },
      [['shrink', '38 % as long as the present text, at least 50 % expected']],
    ],
    [
      'a description that removes media of the merchant',
      {
        value: '<p>x</p><img src="https://a.example/1.png">',
        before: '<img src="//a.example/1.png"><table></table><video></video><video src="b"></video>',
      },
      { media: true },
      [['media', 'it removes 2 videos and 1 table of the merchant']],
    ],
    [
      'a description that removes media where that is wanted',
      { value: '<p>x</p>', before: '<img src="https://a.example/1.png">' },
      {},
      [],
    ],
    ['a description where there was none', { value: '<p>x</p>', before: null }, { shrink: 0.5 }, []],
    [
      'a title that shrinks: titles may',
      { target: 'title', value: 'x', before: 'xxxxxxxx' },
      { shrink: 0.5 },
      [],
    ],
  ])('judge %s', (_what, text, settings, expected) => {
    expect(findings(text, settings)).toEqual(expected);
  });
});

describe('a number with a unit', () => {
  const numbers = { numbers: true };
  it.each<[string, string, Partial<GateContext>, string[]]>([
    ['is not in the source', 'Draws 25 W.', {}, ['25 W: not in the source']],
    ['is in the source', 'Draws 25 W.', { sourceTexts: ['<p>Lamp, 25W</p>'] }, []],
    [
      'is in the source with another unit',
      'Weighs 25 g.',
      { sourceTexts: ['25 W'] },
      ['25 g: not in the source'],
    ],
    ['is in an attribute whose name holds the unit', 'Draws 25 W.', { attributeTexts: ['25'] }, []],
    ['is spelled otherwise', 'A 10 inch pan, 1,5 litres', { sourceTexts: ['10" pan of 1.5 l'] }, []],
    ['has thousands', 'Holds 1,500 ml', { sourceTexts: ['1500 ml'] }, []],
    ['is a part of a model’s name', 'The X25 W is here', {}, []],
    ['is no number with a unit', 'Comes in 3 colours and 2 sizes', {}, []],
    ['is invented twice', 'Lasts 24 h, yes, 24 h', {}, ['24 h: not in the source']],
  ])('that %s', (_what, value, context, expected) => {
    expect(findings({ value }, numbers, context).map(([, detail]) => detail)).toEqual(expected);
  });

  it('is found with the digits and unit that the text has', () => {
    expect(quantitiesIn('2.5kg, 3 °C and 40%').map(({ text, unit }) => [text, unit])).toEqual([
      ['2.5kg', 'kg'],
      ['3 °C', '°c'],
      ['40%', '%'],
    ]);
  });

  it('of any text is found in it, and never changes the text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), (text) => {
        for (const quantity of quantitiesIn(text)) expect(text).toContain(quantity.text);
      }),
    );
  });
});

describe('the language of a text', () => {
  const scores = (entries: Record<string, number>) => () => new Map(Object.entries(entries));
  it.each<[string, string, Record<string, number>, string | null]>([
    ['of the locale', 'de', { de: 1, nl: 0.8 }, null],
    ['of a region of the locale', 'pt-BR', { pt: 1, es: 0.9 }, null],
    ['that is clearly another', 'de', { en: 1, nl: 0.7, de: 0.6 }, 'en'],
    ['that is close', 'nb', { da: 1, no: 0.95 }, null],
    ['that the detector does not know', 'de', {}, null],
    ['that the detector does not offer', 'lb', { de: 1, nl: 0.8 }, 'de'],
  ])('%s', (_what, locale, entries, expected) => {
    expect(otherLanguage(SENTENCE, locale, scores(entries))?.language ?? null).toBe(expected);
  });

  it('is not judged of a short text', () => {
    expect(otherLanguage('Steel bottle, blue', 'de', scores({ en: 1 }))).toBeNull();
  });

  it('is that of a translation’s own locale', () => {
    const english = scores({ en: 1, fr: 0.6 });
    const settings = { language: true };
    expect(
      findings({ target: 'fr:descriptionHtml', value: SENTENCE }, settings, { detect: english }),
    ).toEqual([['language', 'reads as en, not fr (40 % apart)']]);
    expect(findings({ value: SENTENCE }, settings, { detect: english })).toEqual([]);
  });

  it('is not judged where the configuration names no locale', () => {
    expect(
      findings({ value: SENTENCE }, { language: true }, { locale: null, detect: scores({ de: 1 }) }),
    ).toEqual([]);
  });
});

describe('a pattern that is forbidden', () => {
  it('is refused with the reason when it is none', () => {
    expect(patternProblem('(a')).toMatch(/missing closing \)/);
    expect(patternProblem('(?<=a)b')).toMatch(/invalid/);
    expect(patternProblem('(?i)best price')).toBeNull();
  });
});
