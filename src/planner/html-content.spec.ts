import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { HTML_WORST_CASES } from '../../test/support/html-worst-cases.js';
import { plainTextOf } from './html/plain-text.js';
import { reducedHtml } from './html/document.js';
import { sanitiseHtml } from './html/sanitise.js';
import { sanitisePlainText } from './html-content.js';

/** From the OWASP filter evasion list: ways to make a page run, load or frame something. */
const ATTACKS: readonly string[] = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=https://evil.example/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<script/xss src="https://evil.example/x.js"></script>',
  '<<script>alert(1);//<</script>',
  '<script>alert(1)',
  '<img src="javascript:alert(1)">',
  '<img src=x onerror=alert(1)>',
  '<img src="https://a.example/x.png" onload="alert(1)">',
  '<img """><script>alert(1)</script>">',
  '<img src=`javascript:alert(1)`>',
  '<img srcset="https://a.example/x.png 1x" src="data:image/svg+xml,<svg onload=alert(1)>">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href=" &#14; javascript:alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>',
  '<a href="//evil.example/x">x</a>',
  '<a href="http://evil.example/x">x</a>',
  '<a onmouseover="alert(1)">x</a>',
  '<body onload=alert(1)>x</body>',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<style>@import "https://evil.example/x.css";</style>',
  '<link rel="stylesheet" href="https://evil.example/x.css">',
  '<iframe src="https://evil.example"></iframe>',
  '<object data="https://evil.example/x.swf"></object><embed src="https://evil.example/x.swf">',
  '<svg onload=alert(1)><animate onbegin=alert(1)></svg>',
  '<math><mi xlink:href="javascript:alert(1)">x</mi></math>',
  '<form action="https://evil.example"><input name="password"><button>x</button></form>',
  '<meta http-equiv="refresh" content="0;url=javascript:alert(1)">',
  '<base href="https://evil.example/">',
  '<details open ontoggle=alert(1)>x</details>',
  '<video><source onerror="alert(1)"></video>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
  '<textarea><img title="</textarea><script>alert(1)</script>"></textarea>',
  '<!--[if gte IE 4]><script>alert(1)</script><![endif]-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><script>alert(1)</script>',
  '<p/onclick=alert(1)>x',
  '<p title="x" onclick="alert(1)" id="checkout" class="price" name="cart">x</p>',
];

const TAG = /<\/?([a-z0-9]+)((?:\s[a-z-]+(?:="[^"<>]*")?)*)\s*\/?>/g;
const HARMLESS_TAGS =
  /^(p|br|hr|div|span|h[1-6]|blockquote|pre|code|[uod]l|li|d[td]|strong|b|em|i|u|s|small|su[bp]|mark|abbr|table|caption|thead|tbody|tfoot|t[rhd]|a|img|figure|figcaption)$/;
const HARMLESS_ATTRIBUTES = /^(href|title|src|alt|width|height|colspan|rowspan|scope|rel)$/;
/** An address with a scheme that is safe to follow. */
const HARMLESS_ADDRESS = /^(https:\/\/|mailto:|tel:)/;

/** Decodes escapes and removes white space and control characters, because browsers recognise a scheme despite them. */
function asBrowsersRead(address: string): string {
  return address
    .replaceAll(/&#x([0-9a-f]+);?/gi, (_escape, code: string) => String.fromCharCode(parseInt(code, 16)))
    .replaceAll(/&#(\d+);?/g, (_escape, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/[\u0000-\u0020]/g, '');
}

/** Everything in the HTML that is not explicitly allowed: stray angle brackets, elements, attributes, addresses. */
function offences(html: string): string[] {
  const found = /[<>]/.test(html.replaceAll(TAG, '')) ? ['a bracket that belongs to no element'] : [];
  for (const [, name = '', attributes = ''] of html.matchAll(TAG)) {
    if (!HARMLESS_TAGS.test(name)) found.push(name);
    for (const [, attribute = '', value = ''] of attributes.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/g)) {
      if (!HARMLESS_ATTRIBUTES.test(attribute)) found.push(`${name} ${attribute}`);
      if (/^(href|src)$/.test(attribute) && !HARMLESS_ADDRESS.test(asBrowsersRead(value)))
        found.push(`${attribute}=${value}`);
    }
  }
  return found;
}

describe('sanitiseHtml', () => {
  it.each(ATTACKS)('leaves nothing that runs, loads or frames of %j', (attack) => {
    expect(offences(sanitiseHtml(attack))).toEqual([]);
    expect(sanitiseHtml(`<p>before</p>${attack}`)).toContain('<p>before</p>');
  });

  it.each(ATTACKS)('would be noticed: %j as it comes', (attack) => {
    expect(offences(attack)).not.toEqual([]);
  });

  it('leaves nothing dangerous of any two attacks run together, nor of one cut short', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ATTACKS), fc.constantFrom(...ATTACKS), fc.nat(80), (left, right, at) => {
        expect(offences(sanitiseHtml(left.slice(0, at) + right))).toEqual([]);
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...ATTACKS), fc.string()), (html) => {
        const once = sanitiseHtml(html);
        expect(sanitiseHtml(once)).toBe(once);
      }),
    );
  });

  it('ends an element as the next reader would, when what stood between two is left out', () => {
    expect(sanitiseHtml('<p>a<center><p>b')).toBe('<p>a</p><p>b</p><p></p>');
    expect(sanitiseHtml('<h2>a<svg><h4>b')).toBe('<h2>a</h2><h4>b</h4>');
  });

  it.each([
    '<h2>Care</h2><p>Wash <strong>cold</strong>, <em>dry</em> flat.</p>',
    '<ul><li>one</li><li>two</li></ul>',
    '<table><thead><tr><th scope="col" colspan="2">a</th></tr></thead><tbody><tr><td rowspan="2">b</td></tr></tbody></table>',
    '<a href="https://example.com/x?a=1&amp;b=2" title="t" rel="nofollow noopener">x</a>',
    '<a href="mailto:a@example.com">x</a>',
    '<a href="tel:+43123">x</a>',
    '<img src="https://cdn.example.com/1.jpg" alt="a &amp; b" width="10" height="20" />',
    'a &lt; b &amp; c',
    'größer, 日本語, 🧴',
  ])('leaves %j as it is', (html) => {
    expect(sanitiseHtml(html)).toBe(html);
  });

  // address.spec has the rules of addresses.
  it('keeps the text of a link that is refused, and not the link', () => {
    expect(sanitiseHtml('<p>see <a href="/cart/clear">here</a></p>')).toBe('<p>see here</p>');
  });

  it('writes an address with https', () => {
    const [given, kept] = ['HTTP://cdn.example.com/a.jpg?v=1', 'https://cdn.example.com/a.jpg?v=1'];
    expect(sanitiseHtml(`<img src="${given}" alt="a">`)).toBe(`<img src="${kept}" alt="a" />`);
    expect(sanitiseHtml(`<a href="${given}">a</a>`)).toBe(`<a href="${kept}" rel="nofollow noopener">a</a>`);
  });

  it.each(['', 'data:image/png;base64,AA=='])('drops a picture at %j with its tag', (address) => {
    expect(sanitiseHtml(`<p>a<img src="${address}" alt="x">b</p>`)).toBe('<p>ab</p>');
  });

  it('drops a list of sources before anything reads it, and prints nothing', () => {
    const printed: unknown[] = [];
    const methods = ['log', 'info', 'warn', 'error', 'debug'] as const;
    const spies = methods.map((method) =>
      jest.spyOn(console, method).mockImplementation((...args) => void printed.push(...args)),
    );
    try {
      const html = '<img src="https://a.example/1.png" srcset="1x 2x 3x, {forged log line} 9q">';
      expect(sanitiseHtml(html)).toBe('<img src="https://a.example/1.png" />');
      reducedHtml(html);
      plainTextOf(html);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
    expect(printed).toEqual([]);
  });

  it('keeps the text of elements that it drops, except code', () => {
    expect(sanitiseHtml('<section><font>kept</font></section><script>dropped</script>')).toBe('kept');
  });

  it('is not led into endless depth', () => {
    expect(sanitiseHtml('<div>'.repeat(5_000)).length).toBeLessThan(1_000);
  });
});

describe.each(Object.entries(HTML_WORST_CASES))('%s', (_name, make) => {
  // A conversion with quadratic work, or worse, would not finish within a test's time limit.
  const html = make(100_000);

  it('becomes plain text that is no longer than it', () => {
    expect(plainTextOf(html).length).toBeLessThanOrEqual(html.length);
  });

  it('is sanitised to what is little longer than it', () => {
    expect(sanitiseHtml(html).length).toBeLessThanOrEqual(8 * html.length);
    expect(sanitisePlainText(html).length).toBeLessThanOrEqual(4 * html.length);
  });

  it('is compared with itself in time', () => {
    expect(reducedHtml(html).length).toBeLessThanOrEqual(8 * html.length);
  });
});

describe('sanitisePlainText', () => {
  it.each([
    ['Bottle', 'Bottle'],
    ['  Bottle \n of\tsteel ', 'Bottle of steel'],
    ['Bottle\u0000\u0007\u2028of\u009fsteel', 'Bottle of steel'],
    ['<b>Bottle</b> of <i>steel</i>', 'Bottle of steel'],
    ['<b>Salt</b> & "Pepper"', 'Salt & "Pepper"'],
    ['<b>1</b> &lt; 2 &gt; 0', '1 < 2 > 0'],
    ['2 < 3', '2 < 3'],
    ['<b>Salt</b> &amp; Pepper', 'Salt & Pepper'],
    ['<script>alert(1)</script>', ''],
    ['<b></b>', ''],
    ['Größe 日本語 🧴', 'Größe 日本語 🧴'],
    ['', ''],
  ])('of %j is %j', (text, expected) => {
    expect(sanitisePlainText(text)).toBe(expected);
  });

  it('leaves a text without markup unchanged, escapes included', () => {
    expect(sanitisePlainText('Salt &amp; &lt;b&gt;')).toBe('Salt &amp; &lt;b&gt;');
  });

  it.each([
    '<i></i>&lt;script&gt;alert(1)&lt;/script&gt;',
    '<i></i>&#x3c;IMG src=x onerror=alert(1)>',
    '<i></i>&lt;!-- x',
  ])('does not undo an escape that hides a tag: %j', (text) => {
    expect(sanitisePlainText(text)).not.toMatch(/<[a-z!/?]/i);
  });

  it('never leaves a tag, whatever comes together', () => {
    const piece = fc.oneof(
      fc.constantFrom(...ATTACKS, '&lt;', '&amp;', '&#60;', '<', '>', '/', 'script', '&amp;lt;', '<b>'),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        expect(sanitisePlainText(pieces.join(''))).not.toMatch(/<[a-z!/?]/i);
      }),
      { numRuns: 500 },
    );
  });
});

describe('reducedHtml', () => {
  it.each<[string, string, string]>([
    ['void tags', '<p>a<br>b</p>', '<p>a<br />b</p>'],
    ['attribute quotes', "<a href='https://example.com'>a</a>", '<a href="https://example.com">a</a>'],
    ['entities', '<p>a&nbsp;b &#8211; c</p>', '<p>a b – c</p>'],
    ['white space', '<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n', '<ul><li>a</li><li>b</li></ul>'],
    ['letter case of tags', '<P>a</P>', '<p>a</p>'],
    ['unclosed elements', '<p>a', '<p>a</p>'],
  ])('does not care how a store spells %s', (_what, left, right) => {
    expect(reducedHtml(left)).toBe(reducedHtml(right));
  });

  it.each<[string, string, string]>([
    ['words', '<p>a</p>', '<p>b</p>'],
    ['letter case of words', '<p>a</p>', '<p>A</p>'],
    ['elements', '<p>a</p>', '<h2>a</h2>'],
    ['link targets', '<a href="https://a.example">a</a>', '<a href="https://b.example">a</a>'],
    ['emphasis', '<p>a</p>', '<p><b>a</b></p>'],
    ['joined words', '<p>a b</p>', '<p>ab</p>'],
  ])('distinguishes other %s', (_what, left, right) => {
    expect(reducedHtml(left)).not.toBe(reducedHtml(right));
  });
});
