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
  onFail: 'review',
};

const SENTENCE =
  'This bottle keeps drinks cold all day long, and it is made of steel that does not rust at all.';

function findings(
  text: Partial<GatedText>,
  settings: Partial<GateSettings>,
  context: Partial<GateContext> = {},
): string[] {
  const gates = { ...OFF, ...settings };
  return gateFindings([{ target: 'descriptionHtml', value: '', before: null, ...text }], gates, {
    locale: 'en',
    detect: () => new Map(),
    forbidden: forbiddenBy(gates.forbid),
    sourceTexts: [],
    attributeTexts: [],
    ...context,
  }).map(({ gate, detail }) => `${gate}: ${detail}`);
}

describe('the gates of a generated text', () => {
  it('find nothing where all of them are off', () => {
    expect(
      findings({ value: `<p>${SENTENCE} 25 W</p>`, before: `<p>${SENTENCE.repeat(9)}</p>` }, {}),
    ).toEqual([]);
  });

  it.each<[string, Partial<GatedText>, Partial<GateSettings>, string[]]>([
    [
      'a title that is too long',
      { target: 'title', value: 'x'.repeat(71) },
      { title: { maxLength: 70 } },
      ['length: 71 characters, at most 70 allowed'],
    ],
    ['a title of that length', { target: 'title', value: 'ö'.repeat(70) }, { title: { maxLength: 70 } }, []],
    [
      'a description by its text, not by its markup',
      { value: '<p class="a-long-class-name">short</p>' },
      { descriptionHtml: { minLength: 10, maxLength: 0 } },
      ['length: 5 characters, at least 10 expected'],
    ],
    [
      'a forbidden phrase, in whatever letter case',
      { target: 'title', value: 'The BEST price' },
      { forbid: ['(?i)best price', '(?i)free shipping'] },
      ['forbid: “BEST price” is forbidden'],
    ],
    [
      'a forbidden phrase in a metafield',
      { target: 'metafield:catalog.note', value: 'free shipping' },
      { forbid: ['free shipping'] },
      ['forbid: “free shipping” is forbidden'],
    ],
    [
      'a description that shrinks',
      { value: '<p>12345</p>', before: '<p>1234567890123</p>' },
      { shrink: 0.5 },
      ['shrink: 38 % as long as the present text, at least 50 % expected'],
    ],
    ['one that removes media', { value: '<p>x</p>', before: '<img src="https://a.example/1.png">' }, {}, []],
    [
      'a description in a script whose characters say more',
      { target: 'zh-CN:descriptionHtml', value: '<p>不锈钢水瓶</p>', before: '<p>Bottle of steel.</p>' },
      { shrink: 0.5 },
      [],
    ],
    ['a description where there was none', { value: '<p>x</p>', before: null }, { shrink: 0.5 }, []],
    ['a shorter title', { target: 'title', value: 'x', before: 'xxxxxxxx' }, { shrink: 0.5 }, []],
  ])('judge %s', (_what, text, settings, expected) => {
    expect(findings(text, settings)).toEqual(expected);
  });
});

describe('a number with a unit', () => {
  const numbers = { numbers: true };
  it.each<[string, string, Partial<GateContext>, string[]]>([
    ['is not in the source', 'Draws 25 W.', {}, ['25 W: not in the source']],
    ['is in the source', 'Draws 25 W.', { sourceTexts: ['<p>Lamp, 25W</p>'] }, []],
    ['has another unit there', 'Weighs 25 g.', { sourceTexts: ['25 W'] }, ['25 g: not in the source']],
    ['is in an attribute whose name holds the unit', 'Draws 25 W.', { attributeTexts: ['25'] }, []],
    ['is spelled otherwise', 'A 10 inch pan, 1,5 litres', { sourceTexts: ['10" pan of 1.5 l'] }, []],
    ['has thousands', 'Holds 1,500 ml', { sourceTexts: ['1500 ml'] }, []],
    ['is a part of a model’s name', 'The X25 W is here', {}, []],
    ['is no number with a unit', 'Comes in 3 colours and 2 sizes', {}, []],
    ['has thousands that stand apart', 'Weighs 1 500 g', { sourceTexts: ['1500 g'] }, []],
    ['follows a count', 'Pack of 2 500 ml bottles', { sourceTexts: ['500 ml'] }, []],
    ['follows a model’s number', 'Phone 15 128 GB', { sourceTexts: ['128 GB'] }, []],
    ['is part of a size in another order', 'A box of 10 x 20 x 30 cm', { sourceTexts: ['30×20×10 cm'] }, []],
    ['has an invented size', '99 x 30 cm', { sourceTexts: ['30 cm'] }, ['99 x 30 cm: not in the source']],
    ['begins a range', 'From 5–10 °C', { sourceTexts: ['5 °C to 10 °C'] }, []],
    ['ends a range of the source', 'Up to 5 kg', { sourceTexts: ['2 to 5 kg'] }, []],
    ['is an area', 'Covers 20 m²', { sourceTexts: ['20 m2'] }, []],
    ['is an invented area', 'Covers 20 m²', { sourceTexts: ['20 m'] }, ['20 m²: not in the source']],
    ['is spelled in French', 'Dure 24 heures', { sourceTexts: ['24 h'] }, []],
    ['has full-width digits', '２５ W', { sourceTexts: ['25W'] }, []],
    ['has Arabic digits', '٢٥ W', {}, ['٢٥ W: not in the source']],
    ['has a micro sign', '5 µm', { sourceTexts: ['5 μm'] }, []],
    ['is a year before a place', 'Made in 2020 in Italy', {}, []],
    ['is a count before a word', 'A 3 in 1 shampoo, 5 a day', {}, []],
    ['is in inches', 'A 10in pan, 12 in.', {}, ['10in: not in the source', '12 in: not in the source']],
    ['ends a quotation', 'The “Model 25” and the "Pro 30"', {}, []],
    ['is in inches within a quotation mark', 'A 27" screen', {}, ['27": not in the source']],
    ['is a decade', 'Looks like the 90s', {}, []],
    ['is negative', 'Down to -20 °C', { sourceTexts: ['−20 °C'] }, []],
    ['is next to another sign', '(25W)/[30W]', { sourceTexts: ['25 watt, 30 watts'] }, []],
    ['is invented twice', 'Lasts 24 h, yes, 24 h', {}, ['24 h: not in the source']],
  ])('that %s', (_what, value, context, expected) => {
    expect(findings({ value }, numbers, context)).toEqual(expected.map((detail) => `numbers: ${detail}`));
  });

  it('of any text is found in it, and never changes the text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: 'grapheme' }), (text) => {
        for (const quantity of quantitiesIn(text)) expect(text).toContain(quantity.text);
      }),
    );
  });
});

it.each([
  ['digits', '1'.repeat(200_000)],
  ['separated digits', '1.'.repeat(100_000)],
  ['groups', '111 '.repeat(50_000)],
  ['groups that end in four digits', `${'111 '.repeat(50_000)}1111`],
  ['sizes', '1 x '.repeat(50_000) + '1 cm'],
  ['units', '1 kg '.repeat(40_000)],
  ['quotes', '1" '.repeat(60_000)],
  ['letters after each number', `1${'a'.repeat(30)} `.repeat(6_000)],
])('the gate of numbers takes time by the length of the text alone: %s', (_what, text) => {
  const began = process.cpuUsage();
  const context = { sourceTexts: [text], attributeTexts: [text] };
  findings({ target: 'title', value: text }, { numbers: true }, context);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(4_000);
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
    ['that the detector does not offer, and that reads as several', 'is', { nb: 1, da: 0.86 }, null],
    ['that fits not at all', 'ru', { de: 1, nl: 0.95, ru: 0 }, 'de'],
    ['that two codes stand for', 'nb', { no: 1, nn: 0.7, da: 0.99 }, null],
  ])('%s', (_what, locale, entries, expected) => {
    expect(otherLanguage(SENTENCE, locale, scores(entries))?.language ?? null).toBe(expected);
  });

  it('is not judged of a short text', () => {
    expect(otherLanguage('Steel bottle, blue', 'de', scores({ en: 1 }))).toBeNull();
  });

  it('is not judged of a text that has few different words, however long it is', () => {
    expect(otherLanguage('Steel bottle, blue. '.repeat(50), 'de', scores({ en: 1 }))).toBeNull();
  });

  it('is judged of the generated text, and not of the table of the merchant that follows it', () => {
    const table = `<table><tbody><tr><td>${SENTENCE}</td></tr></tbody></table>`;
    const detect = (text: string) =>
      new Map(Object.entries(text.includes('rust') ? { en: 1, de: 0 } : { de: 1 }));
    const german = `<p>Diese Flasche hält Getränke den ganzen Tag lang kalt und besteht aus Edelstahl, der nie anläuft.</p>`;
    const judge = (value: string): string[] =>
      findings({ value, before: table }, { language: true }, { locale: 'de', detect });
    expect(judge(`${german}\n${table}`)).toEqual([]);
    expect(judge(`<p>${SENTENCE}</p>\n${table}`)).toEqual(['language: reads as en, not de (100 % apart)']);
  });

  it('is named where only a part of a text is in another one', () => {
    const words = (stem: string): string =>
      Array.from(
        { length: 40 },
        (_each, at) => `${stem}${'abcdefghij'[at % 10] ?? ''}${'klmn'[Math.floor(at / 10)] ?? ''}`,
      ).join(' ');
    const detect = (text: string) =>
      new Map(Object.entries(text.includes('english') ? { en: 1, de: 0.4 } : { de: 1, en: 0.6 }));
    const value = `${words('german')} ${words('deutsch')} ${words('english')}`;
    expect(findings({ value }, { language: true }, { locale: 'de', detect })).toEqual([
      'language: a part reads as en, not de (60 % apart)',
    ]);
  });

  it('is that of a translation’s own locale', () => {
    const english = scores({ en: 1, fr: 0.6 });
    const settings = { language: true };
    expect(
      findings({ target: 'fr:descriptionHtml', value: SENTENCE }, settings, { detect: english }),
    ).toEqual(['language: reads as en, not fr (40 % apart)']);
    expect(findings({ value: SENTENCE }, settings, { detect: english })).toEqual([]);
  });

  it('is read in time by the length of the text alone', () => {
    const began = process.cpuUsage();
    for (const text of [
      'a'.repeat(400_000),
      'ab '.repeat(200_000),
      '无效的'.repeat(100_000),
      "'".repeat(400_000),
    ])
      otherLanguage(text, 'de', scores({ en: 1 }));
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(4_000);
  });

  it('is not judged where the configuration names no locale', () => {
    expect(
      findings({ value: SENTENCE }, { language: true }, { locale: null, detect: scores({ de: 1 }) }),
    ).toEqual([]);
  });
});

describe('a pattern that is forbidden', () => {
  const forbidden = forbiddenBy(['(?i)best price', '(?m)^Sale']);
  it.each([
    ['a no-break space', 'the best\u00a0price'],
    ['a line break', 'the best\n  price'],
    ['a soft hyphen', 'the best pri\u00adce'],
    ['a space of no width', 'the be\u200bst price'],
    ['full-width letters', 'the ｂｅｓｔ price'],
  ])('is found with %s in it', (_what, text) => {
    expect(forbidden(text)).toBe('best price');
  });

  it('is found at the beginning of a line', () => {
    expect(forbidden('Lamp\nSale')).toBe('Sale');
    expect(forbidden('Lamp, no Sale')).toBeNull();
  });

  it('takes time by the length of the text alone', () => {
    const began = process.cpuUsage();
    expect(forbiddenBy(['(a+)+$', '(a|aa)+$', '(.*a){12}b'])(`${'a'.repeat(5_000)}!`)).toBeNull();
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(4_000);
  });

  it('is refused with the reason when it is none', () => {
    expect(patternProblem('(a')).toMatch(/missing closing \)/);
    expect(patternProblem('(?<=a)b')).toMatch(/invalid/);
    expect(patternProblem('(?i)best price')).toBeNull();
  });
});
