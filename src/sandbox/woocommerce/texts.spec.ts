import { describe, expect, it } from '@jest/globals';
import { keptName, keptText, rendered, unslashed } from './texts.js';

describe('a text that the API writes', () => {
  it.each([
    [
      'loses event handlers and keeps what is harmless (C1)',
      '<p onclick="x()" style="color:red;position:fixed" class="a" data-x="1">',
      '<p style="color:red;position:fixed" class="a" data-x="1">',
    ],
    [
      'loses the tags of scripts, frames and styles and keeps their text (C1)',
      'A<script>alert(1)</script><iframe src="x"></iframe><style>p{}</style>',
      'Aalert(1)p{}',
    ],
    ['loses forms and unknown elements (C1)', '<form><input></form><custom-el>c</custom-el>', 'c'],
    [
      'keeps video, details, tables, comments and targets (C1)',
      '<video></video><details></details><table></table><!-- comment --><a target="_blank" rel="nofollow">',
      '<video></video><details></details><table></table><!-- comment --><a target="_blank" rel="nofollow">',
    ],
    [
      'has its styles respaced, without unknown ones (C1)',
      '<p style="text-align: center; color:#ff0000; display:flex">',
      '<p style="text-align: center;color:#ff0000">',
    ],
    ['has its void elements closed (C1)', '<br/>', '<br />'],
    ['has its attributes quoted (C1)', "<img src='a.png' alt=a>", '<img src=\'a.png\' alt="a">'],
    ['keeps the case of its tags (C1)', '<IMG SRC=x>', '<IMG SRC="x">'],
    ['loses schemes that run scripts (C1)', "<a href='javascript:alert(1)'>", "<a href='alert(1)'>"],
    [
      'has lone ampersands encoded (C1)',
      'Fish & chips, AT&T, &bogus;',
      'Fish &amp; chips, AT&amp;T, &amp;bogus;',
    ],
    [
      'keeps entities, characters and white space (C1)',
      '&nbsp; &eacute; é &lt; &#8217; © 👩‍🔧 \u00a0\ufeff\t\r\n<p>unclosed',
      '&nbsp; &eacute; é &lt; &#8217; © 👩‍🔧 \u00a0\ufeff\t\r\n<p>unclosed',
    ],
    ['has a comparison eaten as a tag (C1)', '5 < 6 > 3', '5  3'],
    ['loses control characters (C1)', 'a\u0007b', 'ab'],
    ['loses single backslashes (C2)', 'C:\\temp \\', 'C:temp '],
    ['keeps every second backslash (C2)', '\\\\ \\\\\\\\', '\\ \\\\'],
  ])('%s', (_rule, sent, kept) => {
    expect(keptText(sent)).toBe(kept);
  });

  it.each(['<p class="a">A &amp; B<br /></p>', 'x &lt; y', '<img src="a" alt="b" />'])(
    'stays as it is when %s is written back (C5)',
    (kept) => expect(keptText(keptText(kept))).toBe(keptText(kept)),
  );

  it('loses one more level of backslashes at each write of the row (C3)', () => {
    expect(unslashed('{"html":"\\u003cb\\u003e"}')).toBe('{"html":"u003cbu003e"}');
  });
});

describe('a name that the API writes', () => {
  it.each([
    ['is trimmed at its ends (C1)', '  leading  ', 'leading'],
    ['may hold HTML (C1)', 'A & B <b>b</b>', 'A &amp; B <b>b</b>'],
    ['may be long (C1)', 'x'.repeat(400), 'x'.repeat(400)],
  ])('%s', (_rule, sent, kept) => {
    expect(keptName(sent)).toBe(kept);
  });
});

describe('a text in view', () => {
  it.each([
    [
      'has paragraphs (B4)',
      'First line.\nSecond line of the same paragraph.\n\nA new paragraph.',
      '<p>First line.<br />\nSecond line of the same paragraph.</p>\n<p>A new paragraph.</p>\n',
    ],
    ['has its shortcodes run (B4)', '[products limit="4"]', '<div class="woocommerce columns-4 "></div>\n'],
    ['keeps blocks and their comments', '<!-- wp:p -->\n\n<p>a</p>', '<p><!-- wp:p --></p>\n<p>a</p>\n'],
  ])('%s', (_rule, stored, shown) => {
    expect(rendered(stored)).toBe(shown);
  });
});
