import { expect } from '@jest/globals';
import type { StoreRule } from './subject.js';

const TEXT = 'descriptionHtml';

/** Texts that stores are known to change, or to choke on. */
export const ODD_TEXTS: Readonly<Record<string, string>> = {
  ampersands: '<p>Fish & chips, AT&amp;T, &bogus; &nbsp;&eacute;</p>',
  backslashes: '<p>C:\\temp\\new, \\\\server, \\u003cb\\u003e</p>',
  quotes: '<p title="a \'b\'">“quoted” ‘text’ "plain"</p>',
  comparisons: '<p>5 &lt; 6 &gt; 3</p>',
  emoji: '<p>👩‍🔧 🇫🇷 é e\u0301 \u200d</p>',
  'right to left': '<p dir="rtl">שלום עולם</p>',
  'line ends': 'First line.\r\nSecond line.\n\nA new paragraph.\ttab',
  'void elements': '<p>a<br/>b<br>c<img src="https://cdn.example.com/a.png" alt="a"></p>',
  styles: '<p style="text-align: center; color:#ff0000">a</p>',
  'unclosed elements': '<p>a<ul><li>b',
  'block comments': '<!-- wp:paragraph {"dropCap":true} --><p>a</p><!-- /wp:paragraph -->',
  'long text': `<p>${'word '.repeat(4000)}</p>`,
};

export function textRules(rule: StoreRule): void {
  for (const [name, text] of Object.entries(ODD_TEXTS))
    rule(
      `A text with ${name} is kept as the write answers it, and stays when that is written again, or is refused`,
      async (store) => {
        const id = await store.create();
        const [first] = await store.write(id, store.over(await store.live(id, TEXT), TEXT, text));
        if (first?.outcome !== 'written') {
          expect(first).toMatchObject({ outcome: 'refused', reason: expect.stringMatching(/\w/) });
          expect(await store.value(id, TEXT)).toBe('<p>Good.</p>');
          return;
        }
        expect(await store.value(id, TEXT)).toBe(first.value);
        // A later write of another field leaves it alone.
        await store.write(id, store.over(await store.live(id, 'title'), 'title', store.unique()));
        expect(await store.value(id, TEXT)).toBe(first.value);
        const [second] = await store.write(id, store.over(await store.live(id, TEXT), TEXT, first.value));
        if (second?.outcome === 'written') expect(second.value).toBe(first.value);
        expect(await store.value(id, TEXT)).toBe(first.value);
        expect((await store.snapshot(id)).descriptionHtml).toBe(first.value);
      },
    );

  rule('A metafield keeps any text exactly', async (store) => {
    const id = await store.create();
    const { target, type } = store.subject.section;
    for (const text of Object.values(ODD_TEXTS).filter((each) => !/[\r\n]/.test(each))) {
      const [outcome] = await store.write(id, store.over(await store.live(id, target), target, text, type));
      expect(outcome).toMatchObject({ outcome: 'written', value: text });
      expect(await store.value(id, target)).toBe(text);
    }
  });
}
