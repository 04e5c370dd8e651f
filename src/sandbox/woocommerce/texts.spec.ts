import { describe, expect, it } from '@jest/globals';
import { keptName, keptText, rendered } from './texts.js';

describe('a text that the API writes', () => {
  it.each([
    [
      'loses event handlers and keeps what is harmless (C1)',
      '<p onclick="x()" style="color:red" class="a" data-x="1">é 👩‍🔧</p>',
      '<p style="color:red" class="a" data-x="1">é 👩‍🔧</p>',
    ],
    [
      'loses the tags of scripts, frames, styles and forms and keeps their text (C1)',
      'A<script>alert(1)</script><iframe src="x"></iframe><style>p{}</style><form><input>b</form>',
      'Aalert(1)p{}b',
    ],
    ['loses schemes that run scripts (C1)', '<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
    ['has void elements closed and lone ampersands encoded (C1)', '<br>a & b', '<br />a &amp; b'],
    ['keeps references (C1)', '&nbsp;&eacute; &lt; &#8217;', '&nbsp;&eacute; &lt; &#8217;'],
    ['loses single backslashes, and every second one of several (C2)', 'C:\\temp \\\\ \\', 'C:temp \\ '],
  ])('%s', (_rule, sent, kept) => {
    expect(keptText(sent)).toBe(kept);
    if (!kept.includes('\\')) expect(keptText(kept)).toBe(kept);
  });

  it('is trimmed in a name (C1)', () => {
    expect(keptName('  A & B <b>b</b> ')).toBe('A &amp; B <b>b</b>');
  });
});

it.each([
  [
    'has paragraphs (B4)',
    'First line.\nSecond line of the same paragraph.\n\nA new paragraph.',
    '<p>First line.<br />\nSecond line of the same paragraph.</p>\n<p>A new paragraph.</p>\n',
  ],
  ['has its shortcodes run (B4)', '[products limit="4"]', '<div class="woocommerce columns-4 "></div>\n'],
  ['keeps blocks of HTML', '<p>a</p>', '<p>a</p>\n'],
])('a text in view %s', (_rule, stored, shown) => {
  expect(rendered(stored)).toBe(shown);
});
