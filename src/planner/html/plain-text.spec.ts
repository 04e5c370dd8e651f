import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HTML_PIECES } from '../../../test/support/html-samples.js';
import { isBlankHtml, plainTextOf } from './plain-text.js';

const row = (...cells: string[]): string => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

describe('plainTextOf', () => {
  it.each([
    ['plain', 'plain'],
    ['  plain  ', 'plain'],
    ['<p>Salt &amp; Pepper</p>', 'Salt & Pepper'],
    ['Salt &amp; Pepper', 'Salt & Pepper'],
    ['<p>&nbsp;</p>', ''],
    ['', ''],
    [
      '<h1>Care</h1><p>Wash <b>cold</b>.</p><hr><p>Dry flat.</p>',
      `Care\n\nWash cold.\n\n${'-'.repeat(40)}\n\nDry flat.`,
    ],
    ['<p>See <a href="https://example.com">here</a></p>', 'See here'],
    ['<p>a<img src="https://example.com/x.png" alt="picture">b</p>', 'ab'],
    ['<p>a</p><script>x < y</script><style>p {}</style><!-- c --><p>b<br>c</p>', 'a\n\nb\nc'],
    ['<blockquote><p>said</p></blockquote><pre>a  b\nc</pre>', 'said\n\na  b\nc'],
    ['<ul><li>one</li><li>two<ul><li>inner</li></ul></li></ul>', '* one\n * two\n   * inner'],
    [
      '<ol start="7"><li>a</li></ol><ol type="a"><li>b</li></ol><ol type="i"><li>c</li></ol>',
      '7. a\n\n a. b\n\n i. c',
    ],
    ['<ol start="-3"><li>a</li></ol><ol start="x" type="I"><li>b</li></ol>', '1. a\n\n I. b'],
    [
      `${'<ul><li>'.repeat(6)}a${'</li><li>b</li></ul>'.repeat(6)}`,
      '* * * * * a\n           b\n         * b\n       * b\n     * b\n   * b\n * b',
    ],
    [`<table>${row('Size', 'Fit')}<tbody>${row('S', 'slim')}</tbody></table>`, 'Size   Fit\nS   slim'],
    [
      `<table>${row('<p>One.</p><p>Two.</p>', '<ul><li>a</li><li>b</li></ul>')}${row('c', 'd')}</table>`,
      'One.\n\nTwo.\n * a\n * b\nc   d',
    ],
    ['<table><tr><td colspan="100000" rowspan="9">a</td><th>b</th></tr></table>', 'a   b'],
    [`<table><caption>Sizes</caption>${row(`<table>${row('a', 'b')}</table>`)}</table>`, 'a   b'],
  ])('of %j is %j', (html, expected) => {
    expect(plainTextOf(html)).toBe(expected);
  });

  it('breaks no line for its length', () => {
    const long = 'word '.repeat(200).trim();
    expect(plainTextOf(`<p>${long}</p>`)).toBe(long);
  });

  it('keeps the words of any mixture of elements, however deep', () => {
    const words = (text: string): string => text.replaceAll(/[^ab]/g, '');
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<b>', '<div>', '<p>', '</p>', '<ul>', '<li>', '</ul>', 'a', 'b '), {
          maxLength: 40,
        }),
        fc.nat(600),
        (pieces, depth) => {
          const html = `<div>${'<i>'.repeat(depth)}${pieces.join('')}`;
          expect(words(plainTextOf(html))).toBe(
            words(pieces.filter((piece) => !piece.startsWith('<')).join('')),
          );
        },
      ),
    );
  });

  it('takes any mixture of elements', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...HTML_PIECES), { maxLength: 40 }), (pieces) => {
        expect(plainTextOf(pieces.join(''))).not.toMatch(/undefined|NaN/);
      }),
    );
  });
});

it.each([
  ['', true],
  ['<p></p>', true],
  ['<p>&nbsp;</p><br />', true],
  ['<div> \n </div>', true],
  ['<p>x</p>', false],
  ['<p><img src="https://example.com/x.png" /></p>', false],
])('isBlankHtml of %j: %s', (html, blank) => {
  expect(isBlankHtml(html)).toBe(blank);
});
