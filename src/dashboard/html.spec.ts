import { describe, expect, it } from '@jest/globals';
import { html } from './html.js';

describe('html', () => {
  it('escapes every value, in content and in attributes', () => {
    const value = `<img src=x onerror=alert(1)> & "quoted" 'single'`;
    const escaped = '&lt;img src=x onerror=alert(1)&gt; &amp; &quot;quoted&quot; &#39;single&#39;';
    expect(html`<p title="${value}">${value}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  it('takes markup of its own as it is, also in lists', () => {
    const items = ['a', '<b>'].map((item) => html`<i>${item}</i>`);
    expect(html`<b>${items}</b>`.text).toBe('<b><i>a</i><i>&lt;b&gt;</i></b>');
  });

  it('leaves out what is absent, and nothing else', () => {
    expect(html`${null}${undefined}${false}${0}${''}`.text).toBe('0');
  });

  it('shows control characters as replaced', () => {
    expect(html`${'a\u0000b\u001bc\n'}`.text).toBe('a\ufffdb\ufffdc\n');
  });
});
