import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MEDIA_SHAPES } from '../../test/support/merchant-media.js';
import {
  KEEPABLE_ELEMENTS,
  lostMedia,
  mediaInWords,
  removedMedia,
  withKeptMedia,
  type KeepableElement,
} from './kept-media.js';
import { allowanceOf } from './html/markup-allowance.js';
import { sanitiseHtml } from './html/sanitise.js';

const ALL = KEEPABLE_ELEMENTS;
const IMG = '<img src="https://cdn.example.com/a.jpg" alt="A" class="wide">';
const TABLE = '<table><tbody><tr><td>S</td><td>10 &lt; 12 cm</td></tr></tbody></table>';
const VIDEO = '<video controls><source src="https://cdn.example.com/v.mp4"></video>';
const IFRAME = '<iframe src="https://www.youtube.com/embed/x"></iframe>';
const NEW = '<p>New text.</p>';

describe('the merchant’s media', () => {
  const inTable = `<table><tr><td>${IMG}</td></tr></table>`;
  const all = `<p>x${IMG}</p>${TABLE}<div>${VIDEO}</div>${IFRAME}`;
  const closed = '<table><tr><td>x</td></tr></table>';

  it.each<[string, string | null, readonly KeepableElement[], string[]]>([
    ['stay after the new text, in their order', all, ALL, [IMG, TABLE, VIDEO, IFRAME]],
    ['of other kinds go', `${IMG}${TABLE}`, ['table'], [TABLE]],
    ['go where nothing is kept', `${IMG}${TABLE}`, [], []],
    ['within a kept table stay within it', inTable, ALL, [inTable]],
    ['within a table that goes stay by themselves', inTable, ['img'], [IMG]],
    ['are none where there is no description', null, ALL, []],
    ['are none in plain text', '<p>Old text, 3 < 4</p>', ALL, []],
    ['lose scripts', '<table><tr><td>x<script>alert(1)</script></td></tr></table>', ALL, [closed]],
    ['that are never closed end with the description', '<table><tr><td>x', ALL, [closed]],
  ])('%s', (_what, merchant, kinds, kept) => {
    expect(withKeptMedia(NEW, merchant, kinds)).toBe([NEW, ...kept].join('\n'));
  });

  it.each([
    ['the same picture', IMG, IMG],
    ['the same picture by another scheme', '<img src="//a.test/a.jpg">', '<img src="https://a.test/a.jpg">'],
    ['the same table in another spelling', TABLE, TABLE.replaceAll('<td>', '<TD >')],
  ])('are not repeated where the new text holds %s', (_what, merchant, held) => {
    const generated = `${NEW}${held}`;
    expect(withKeptMedia(generated, merchant, ALL)).toBe(generated);
  });

  it.each<[string, string]>([
    ['another spelling of tags and attributes', "<IMG SRC='//cdn.example.com/a.jpg' ALT=a />"],
    ['comments', '<table><!-- sizes --><tbody><tr><td>S</td></tr></tbody></table>'],
    ['parts that are not closed', '<table><tr><td>S<td>M<tr><td>L</table>'],
    ['drawings', '<table><tr><td><svg viewBox="0 0 1 1"><linearGradient /></svg></td></tr></table>'],
  ])('keep %s', (_what, element) => {
    expect(withKeptMedia(NEW, `<p>Old.</p>${element}<p>Old.</p>`, ALL)).toBe(`${NEW}\n${element}`);
  });

  it('leave behind an element around them that has more in it, or a script', () => {
    const around = (html: string) =>
      `<div class="tabs">${html}</div><figure><script>x()</script>${IMG}</figure>`;
    expect(withKeptMedia(NEW, around(`<p>Text</p>${IFRAME}`), ALL)).toBe([NEW, IFRAME, IMG].join('\n'));
    expect(withKeptMedia(NEW, `<figure>${IMG}${TABLE}</figure>`, ['img'])).toBe([NEW, IMG].join('\n'));
  });

  it('that would go are counted', () => {
    const merchant = `${IMG}${IMG.replace('a.jpg', 'b.jpg')}${TABLE}`;
    expect([...lostMedia(NEW, merchant, ['table'])]).toEqual([['img', 2]]);
    expect([...lostMedia(NEW, merchant, ALL)]).toEqual([]);
    const inTable = `<table><tr><td>S${IMG}</td></tr></table>`;
    expect([...lostMedia(NEW, inTable, ['table'])]).toEqual([]);
    expect([...lostMedia(NEW, inTable, ['img'])]).toEqual([['table', 1]]);
    expect([...lostMedia(NEW, inTable, [])]).toEqual([['table', 1]]);
    const withoutImage = '<table><tr><td>S</td></tr></table>';
    expect([...lostMedia(withoutImage, inTable, [])]).toEqual([['img', 1]]);
    expect([...lostMedia(`${NEW}${IMG}`, merchant, [])]).toEqual([
      ['img', 1],
      ['table', 1],
    ]);
  });
});

describe.each(MEDIA_SHAPES)('$what', ({ html, kept, lost }) => {
  const merchant = `<p>What the merchant wrote.</p>${html}<p>More.</p>`;

  it('stays byte for byte, in the second night too', () => {
    const first = withKeptMedia(NEW, merchant, ALL);
    expect(first).toBe([NEW, ...kept].join('\n'));
    expect(withKeptMedia('<p>Newer.</p>', merchant, ALL)).toBe(['<p>Newer.</p>', ...kept].join('\n'));
    expect(removedMedia(first, merchant)).toBeNull();
  });

  it('is counted where nothing is kept', () => {
    expect(mediaInWords(lostMedia(NEW, merchant, []))).toBe(lost);
    expect(removedMedia(NEW, merchant)).toBe(`it removes ${lost} of the merchant`);
  });

  it('is lost and doubled neither, where the catalog returns the merchant’s own text', () => {
    const returned = sanitiseHtml(merchant, allowanceOf(merchant));
    const written = withKeptMedia(returned, merchant, ALL);
    expect(removedMedia(written, merchant)).toBeNull();
    const elements = (text: string) => text.match(/<(?:img|iframe|video|table)\b/g)?.length ?? 0;
    expect(elements(written)).toBeLessThanOrEqual(elements(merchant));
  });
});

describe('a description of several shapes', () => {
  const elements = (text: string): number => text.match(/<(?:img|iframe|video|table)\b/g)?.length ?? 0;
  const part = fc.constantFrom(
    ...MEDIA_SHAPES.map(({ html }) => html),
    ...['<p>Text</p>', '<div>', '</div>', '<table><tr><td>', '<a href="#">', '</a>', '<figure class="x">'],
    ...['</figure>', '<div class="box">', '</td>', '</table>', 'words'],
  );

  it('loses and doubles no media, whether the text is new or the merchant’s own', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const merchant = parts.join('');
        const written = withKeptMedia(NEW, merchant, ALL);
        expect(removedMedia(written, merchant)).toBeNull();
        expect(elements(written)).toBe(elements(merchant));
        expect(withKeptMedia(written, merchant, ALL)).toBe(written);
        const returned = withKeptMedia(sanitiseHtml(merchant, allowanceOf(merchant)), merchant, ALL);
        expect(removedMedia(returned, merchant)).toBeNull();
        expect(elements(returned)).toBeLessThanOrEqual(elements(merchant));
      }),
      { numRuns: 300 },
    );
  });
});

it.each([
  [
    'blanks in end tags',
    '<p>a</p ><table ><tr><td>1</td ></tr></table\n><p>b</p>',
    '<table ><tr><td>1</td ></tr></table\n>',
  ],
  ['an attribute in the end tag before', `<p>a</p class="x">${IMG}`, IMG],
  ['an end tag before that does not end', `<b>a</b\t</ p>${IMG}`, IMG],
  ['letters in upper case', `<P>a</P>${IMG.toUpperCase()}`, IMG.toUpperCase()],
  ['no end', '<p>a</p><table><tr><td>1', '<table><tr><td>1</td></tr></table>'],
])('elements of a careless merchant stay unchanged with %s', (_what, merchant, kept) => {
  expect(withKeptMedia('<p>x</p>', merchant, ALL)).toBe(`<p>x</p>\n${kept}`);
});
