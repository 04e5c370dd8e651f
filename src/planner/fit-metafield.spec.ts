import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MetafieldDefinition } from '../domain/metafield-definition.js';
import { matchesPattern } from '../runtime/linear-pattern.js';
import { fitted } from './fit-metafield.js';
import { intendedValues } from './generated-content.js';
import { writeBackSettings } from '../../test/support/product-builders.js';

/** The result of fitting an attribute's JSON value to a definition with these validations. */
function fit(raw: unknown, type: string, validations: Record<string, string> = {}): string {
  const [value] = intendedValues({ sections: [{ a1: raw }] }, { ...writeBackSettings, fields: {} });
  if (value === undefined) throw new Error('the attribute is unusable');
  const definition: MetafieldDefinition = {
    namespace: 'custom',
    key: 'a1',
    type,
    validations: Object.entries(validations).map(([name, rule]) => ({ name, value: rule })),
  };
  const result = fitted(value, definition, matchesPattern);
  return 'problem' in result ? `no: ${result.problem}` : result.value;
}

const CHOICES = { choices: '["Cotton","Steel"]' };
const CM = (value: number): string => JSON.stringify({ value, unit: 'cm' });

describe('an attribute for a metafield that the merchant defined', () => {
  it.each<[unknown, string, Record<string, string>, string]>([
    ['Steel', 'single_line_text_field', {}, 'Steel'],
    [12, 'single_line_text_field', {}, '12'],
    ['a\nb', 'single_line_text_field', {}, 'no: it has several lines'],
    [['a', 'b'], 'single_line_text_field', {}, 'no: it is a list of 2 values, and the definition takes one'],
    [['a'], 'single_line_text_field', {}, 'a'],
    [{ a: 1 }, 'single_line_text_field', {}, 'no: it is an object, not a value'],
    ['steel', 'single_line_text_field', CHOICES, 'Steel'],
    ['Wood', 'single_line_text_field', CHOICES, 'no: “Wood” is none of the choices: Cotton, Steel'],
    ['abc', 'single_line_text_field', { min: '4' }, 'no: it has 3 characters, at least 4'],
    ['abc', 'single_line_text_field', { max: '2' }, 'no: it has 3 characters, at most 2'],
    ['AB-1', 'single_line_text_field', { regex: '^[A-Z]{2}-\\d$' }, 'AB-1'],
    ['AB1', 'single_line_text_field', { regex: '^[A-Z]{2}-\\d$' }, 'no: it does not match ^[A-Z]{2}-\\d$'],
    ['a', 'single_line_text_field', { regex: '(?=a)a' }, 'a'],
    [['a', 'b'], 'multi_line_text_field', {}, 'a\nb'],
    [5, 'number_integer', {}, '5'],
    [['08', '10'], 'list.number_integer', {}, 'no: it begins with a zero, so it is a code and no number'],
    [['0', '-10'], 'list.number_integer', {}, '[0,-10]'],
    ['https://shop.example/cart/clear', 'url', {}, 'no: it makes a shop act for the visitor'],
    [{ url: 'https://x.myshopify.com/a' }, 'link', {}, 'no: it leads to a technical address of the store'],
    [5.5, 'number_integer', {}, 'no: it is no whole number'],
    [5, 'number_integer', { min: '6' }, 'no: it is less than 6'],
    [5, 'number_integer', { max: '4' }, 'no: it is more than 4'],
    [1.25, 'number_decimal', { max_precision: '2' }, '1.25'],
    [1.255, 'number_decimal', { max_precision: '2' }, 'no: it has 3 decimal places, at most 2'],
    [true, 'boolean', {}, 'true'],
    ['yes', 'boolean', {}, 'no: it is neither true nor false'],
    ['2026-02-30', 'date', {}, 'no: it is no date as YYYY-MM-DD'],
    ['2026-02-28', 'date', { min: '2026-03-01' }, 'no: it is less than 2026-03-01'],
    ['2026-02-28T10:00:00Z', 'date_time', {}, '2026-02-28T10:00:00Z'],
    ['https://a.example/x', 'url', {}, 'https://a.example/x'],
    ['javascript:alert(1)', 'url', {}, 'no: javascript: is no link of a shop'],
    ['https://a.test', 'url', { allowed_domains: '["b.test"]' }, 'no: a.test is none of the domains: b.test'],
    ['#ff00AA', 'color', {}, '#ff00AA'],
    ['red', 'color', {}, 'no: it is no colour as #RRGGBB'],
    ['25 cm', 'dimension', {}, CM(25)],
    ['2,5 cm', 'dimension', {}, CM(2.5)],
    ['1,500 cm', 'dimension', {}, 'no: it is no dimension in mm, cm, m, in, ft, yd'],
    ['25', 'dimension', {}, 'no: it is no dimension in mm, cm, m, in, ft, yd'],
    [{ value: 25, unit: 'CENTIMETERS' }, 'dimension', {}, CM(25)],
    [
      '25 cm',
      'dimension',
      { max: '{"value":0.2,"unit":"METERS"}' },
      'no: it is more than {"value":0.2,"unit":"METERS"}',
    ],
    ['2 kg', 'weight', {}, '{"value":2,"unit":"kg"}'],
    [
      '2 kg',
      'volume',
      {},
      'no: it is no volume in ml, cl, l, m3, us_fl_oz, us_pt, us_qt, us_gal, imp_fl_oz, imp_pt, imp_qt, imp_gal',
    ],
    ['0.5 litres', 'volume', {}, '{"value":0.5,"unit":"l"}'],
    [4.5, 'rating', { scale_min: '1', scale_max: '5' }, '{"value":"4.5","scale_min":"1","scale_max":"5"}'],
    [6, 'rating', { scale_min: '1', scale_max: '5' }, 'no: it is not between 1 and 5'],
    [['a', 'b'], 'list.single_line_text_field', { 'list.max': '1' }, 'no: it has 2 entries, at most 1'],
    ['Steel', 'list.single_line_text_field', CHOICES, '["Steel"]'],
    [['Wood'], 'list.single_line_text_field', CHOICES, 'no: “Wood” is none of the choices: Cotton, Steel'],
    [[1, 2], 'list.number_integer', {}, '[1,2]'],
    [['1 cm', '2 cm'], 'list.dimension', {}, `[${CM(1)},${CM(2)}]`],
    ['{see the page}', 'link', {}, 'no: it is no link with a url'],
    ['{see the page}', 'money', {}, 'no: it is no amount with a currency_code'],
    ['{see the page}', 'rating', { scale_min: '1', scale_max: '5' }, 'no: it is no number'],
    ['10 x 20 cm', 'dimension', {}, 'no: it is no dimension in mm, cm, m, in, ft, yd'],
    ['007', 'number_decimal', {}, 'no: it begins with a zero, so it is a code and no number'],
    ['1,5', 'number_decimal', {}, 'no: it is no number that the store holds'],
    ['a', 'single_line_text_field', { choices: 'no list' }, 'no: the definition’s choices cannot be read'],
    ['https://a.example', 'url', { allowed_domains: '{' }, 'no: the definition’s domains cannot be read'],
    ['{"type":"root","children":[]}', 'rich_text_field', {}, 'no: it is JSON, not text'],
    [
      '[see below] {1}',
      'rich_text_field',
      {},
      '{"type":"root","children":[{"type":"paragraph","children":[{"type":"text","value":"[see below] {1}"}]}]}',
    ],
    [{ a: 1 }, 'json', {}, '{"a":1}'],
    ['text', 'json', {}, '"text"'],
    ['a product', 'product_reference', {}, 'no: store-sync writes no value of type product_reference'],
  ])('%j as %s under %j is %s', (raw, type, validations, expected) => {
    expect(fit(raw, type, validations)).toBe(expected);
  });

  it('keeps to the lengths of lists and addresses that the store has without a rule', () => {
    const many = Array.from({ length: 129 }, (_each, index) => `m${String(index)}`);
    expect(fit(many, 'list.single_line_text_field')).toBe('no: it has 129 entries, at most 128');
    expect(fit(many.slice(1), 'list.single_line_text_field')).toBe(JSON.stringify(many.slice(1)));
    expect(fit(`https://a.example/${'x'.repeat(2040)}`, 'url')).toBe(
      'no: it has 2058 characters, at most 2048',
    );
  });

  it('is a value or a reason, and never an error, whatever it is and whatever type it is meant for', () => {
    const singles = [
      ...['single_line_text_field', 'multi_line_text_field', 'rich_text_field', 'boolean', 'number_integer'],
      ...['number_decimal', 'date', 'date_time', 'url', 'color', 'rating', 'money', 'link', 'json', 'id'],
      ...['dimension', 'weight', 'volume', 'product_reference', 'constructor', '__proto__', ''],
    ];
    const types = fc.constantFrom(...singles, ...singles.map((type) => `list.${type}`));
    const texts = fc.constantFrom(
      ...['08', '-0', '00', '1e5', '0x1F', '1,5', '5 cm', '1/0', 'NaN', 'null', '{', '[', '{"value":"x"}'],
      ...['2026-13-40', '-271821-04-21', '+275760-09-14T00:00:00Z', 'https://', '//', '#FFF', '\0', '\ud800'],
    );
    const raw = fc.oneof(fc.array(texts), texts, fc.jsonValue(), fc.array(fc.jsonValue()));
    const rules = fc.dictionary(
      fc.constantFrom(
        ...'min max regex choices list.min list.max scale_min scale_max max_precision allowed_domains'.split(
          ' ',
        ),
      ),
      fc.oneof(texts, fc.string()),
    );
    fc.assert(
      fc.property(raw, types, rules, (value, type, validations) => {
        const [given] = intendedValues({ sections: [{ a1: value }] }, { ...writeBackSettings, fields: {} });
        if (given !== undefined && given.withheld === undefined)
          expect(fit(value, type, validations)).toEqual(expect.any(String));
      }),
      { numRuns: 2000 },
    );
  });

  it('becomes rich text with paragraphs, headings and lists', () => {
    const text = (value: string): object => ({ type: 'text', value });
    expect(
      JSON.parse(fit('<h2>Care</h2><p>By <b>hand</b></p><ol><li>Soak</li></ol>', 'rich_text_field')),
    ).toEqual({
      type: 'root',
      children: [
        { type: 'heading', level: 2, children: [text('Care')] },
        { type: 'paragraph', children: [text('By hand')] },
        { type: 'list', listType: 'ordered', children: [{ type: 'list-item', children: [text('Soak')] }] },
      ],
    });
    expect(JSON.parse(fit('One\n\nTwo & < three', 'rich_text_field'))).toMatchObject({
      children: [{ children: [text('One')] }, { children: [text('Two & < three')] }],
    });
    expect(JSON.parse(fit(['a', 'b'], 'rich_text_field'))).toMatchObject({
      children: [{ type: 'list', children: [{ children: [text('a')] }, { children: [text('b')] }] }],
    });
  });
});
