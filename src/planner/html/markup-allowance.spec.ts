import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { allowanceOf } from '../html/markup-allowance.js';
import { sanitiseHtml } from '../html/sanitise.js';

const FRAME =
  '<iframe src="https://www.youtube.com/embed/abc" width="560" height="315" allowfullscreen></iframe>';
const MERCHANT = `<div class="tabs wide" style="padding-bottom: 56.25%"><p style="color:#333">Steel</p>${FRAME}</div>
<video controls poster="https://cdn.example.com/p.jpg"><source src="//media.example.com/v.mp4" type="video/mp4"></video>`;
const sanitised = (html: string, merchant: string | null = MERCHANT): string =>
  sanitiseHtml(html, allowanceOf(merchant));

describe('markup of the merchant’s own description', () => {
  it('comes back whole', () => {
    expect(sanitised(MERCHANT)).toBe(
      `<div class="tabs wide" style="padding-bottom: 56.25%"><p style="color:#333">Steel</p><iframe src="https://www.youtube.com/embed/abc" width="560" height="315" allowfullscreen></iframe></div>
<video controls poster="https://cdn.example.com/p.jpg"><source src="https://media.example.com/v.mp4" type="video/mp4" /></video>`,
    );
  });

  it.each([
    [
      'a frame of the same host',
      '<iframe src="//www.youtube.com/embed/x"></iframe>',
      '<iframe src="https://www.youtube.com/embed/x"></iframe>',
    ],
    ['one class of several', '<p class="wide evil">x</p>', '<p class="wide">x</p>'],
    ['a style in another spelling', '<p style="COLOR: #333;">x</p>', '<p style="COLOR: #333;">x</p>'],
    ['another style', '<p style="color:red">x</p>', '<p>x</p>'],
    [
      'a style of another element',
      '<a href="https://a.example" style="padding-bottom: 56.25%">x</a>',
      '<a href="https://a.example" rel="nofollow noopener">x</a>',
    ],
  ])('lets %s through, and nothing beside it', (_what, html, expected) => {
    expect(sanitised(html)).toBe(expected);
  });

  it.each([
    ['without a description', MERCHANT, null],
    ['of a merchant without frames', FRAME, '<p class="x" style="color:red">Steel</p>'],
    ['of a relative frame alone', FRAME, '<iframe src="/embed/x"></iframe>'],
  ])('gives no leave to frames %s', (_what, html, merchant) => {
    expect(sanitised(html, merchant)).not.toContain('<iframe');
  });
});

/** Each is tried with a merchant whose description has frames, classes and styles, hostile ones among them. */
const ATTACKS: readonly string[] = [
  '<iframe src="https://evil.example/"></iframe>',
  '<iframe src="https://www.youtube.com.evil.example/"></iframe>',
  '<iframe src="https://www.youtube.com@evil.example/"></iframe>',
  '<iframe src="https://evil@www.youtube.com/"></iframe>',
  '<iframe src="https://www.youtube.com:8443/"></iframe>',
  '<iframe src="https://www.youtube.com\\@evil.example/"></iframe>',
  '<iframe src="https://www.youtube.com/cart/clear"></iframe>',
  '<iframe src="https://shop.myshopify.com/embed"></iframe>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe src="data:text/html,<script>alert(1)</script>"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<iframe src="https://www.youtube.com/x" srcdoc="<script>alert(1)</script>" onload="alert(1)" allow="camera" name="top"></iframe>',
  '<iframe src="https://www.youtube.com/x"><p title="</iframe><img src=x onerror=alert(1)>">x</p></iframe>',
  '<iframe src="https://www.youtube.com/x"></iframe',
  '<video src="https://evil.example/v.mp4" onerror="alert(1)"></video>',
  '<video><source src="https://evil.example/v.mp4"></video>',
  '<video src="https://media.example.com/v.mp4" poster="javascript:alert(1)"></video>',
  '<object data="https://www.youtube.com/x"></object><embed src="https://www.youtube.com/x">',
  '<p style="background:url(https://evil.example/x.png)">x</p>',
  '<p style="position:fixed;top:0">x</p>',
  '<p style="color:#333;position:fixed">x</p>',
  '<p style="width:expression(alert(1))">x</p>',
  '<p style="co\\6cor:#333">x</p>',
  '<p class="wide&quot; onclick=&quot;alert(1)">x</p>',
  '<p style="color:#333&quot; onclick=&quot;alert(1)">x</p>',
  '<style>.wide { color: red }</style>',
  '<script class="wide">alert(1)</script>',
  '<form class="wide" action="https://www.youtube.com/"><input class="wide"></form>',
];
const HOSTILE_MERCHANT = `${MERCHANT}
<p style="background:url(https://evil.example/x.png)">a</p><p style="position:fixed;top:0">b</p>
<p style="width:expression(alert(1))">c</p><iframe src="https://shop.myshopify.com/embed"></iframe>`;

function offences(html: string): string[] {
  const allowed =
    /^(?:<(?:\/)?(?:p|div|a|video|source|iframe)\b(?:\s(?:src|href|title|rel|width|height|class|style|poster|controls|type|allowfullscreen)(?:="[^"<>]*")?)*\s?\/?>|[^<>])*$/;
  const found = allowed.test(html) ? [] : [html];
  for (const [, address = ''] of html.matchAll(/\s(?:src|href|poster)="([^"]*)"/g))
    if (
      !/^https:\/\/(?:www\.youtube\.com|media\.example\.com|cdn\.example\.com|a\.example)\/(?!cart)/.test(
        address,
      )
    )
      found.push(address);
  for (const [, style = ''] of html.matchAll(/\sstyle="([^"]*)"/g))
    if (!/^(?:padding-bottom: 56\.25%|color:#333)$/.test(style)) found.push(style);
  for (const [, classes = ''] of html.matchAll(/\sclass="([^"]*)"/g))
    if (!/^(?:tabs|wide| )+$/.test(classes)) found.push(classes);
  return found;
}

describe('a generated text that misuses what the merchant has', () => {
  it.each(ATTACKS)('leaves nothing of %j', (attack) => {
    expect(offences(sanitised(attack, HOSTILE_MERCHANT))).toEqual([]);
  });

  it('is as harmless when two attacks run together, and stays so the second time', () => {
    const allowance = allowanceOf(HOSTILE_MERCHANT);
    fc.assert(
      fc.property(
        fc.constantFrom(...ATTACKS, MERCHANT),
        fc.constantFrom(...ATTACKS, MERCHANT),
        fc.nat(90),
        (left, right, at) => {
          const once = sanitiseHtml(left.slice(0, at) + right, allowance);
          expect(offences(once)).toEqual([]);
          expect(sanitiseHtml(once, allowance)).toBe(once);
        },
      ),
    );
  });
});
