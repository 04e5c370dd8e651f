import { beforeEach, describe, expect, it } from '@jest/globals';
import { snapshot } from '../../support/fake-store.js';
import { writeNewer, type ResultOptions } from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';

const stages = await Stages.open();

function inFrench(text: { name?: string; html_description?: string }) {
  stages.catalog.translated.set('fr', text);
}
const written = (options?: ResultOptions) => writeNewer(stages, options);
const french = (target: string) => stages.store.translation('1', `fr:${target}`);

describe('a translated description', () => {
  const media =
    '<img src="https://cdn.example.com/a.jpg"><table><tbody><tr><td>5 W</td></tr></tbody></table>';
  const PRIMARY = `<p>A lamp of steel that stands on every desk.</p>${media}`;
  const configured = (writeBack: object): void => {
    stages.settings = { store: { writeBack: { locales: ['fr'], ...writeBack } }, workspace: {} };
  };
  const ungated = { language: false, shrink: 0 };
  beforeEach(async () => {
    await stages.reset();
    inFrench({ name: 'Généré 1', html_description: '<p>Généré 1</p>' });
    stages.store.put(snapshot(1, { descriptionHtml: PRIMARY }));
    configured({ gates: ungated });
    await stages.sync();
  });

  it('keeps the pictures and tables that the shop shows in its own language, also after a later result', async () => {
    for (const [name, text] of [
      ['First', 'Une lampe.'],
      ['Second', 'Une autre lampe.'],
    ] as const) {
      inFrench({ html_description: `<p>${text}</p>` });
      expect(await written({ name, html: `<p>${name} lamp</p>` })).toMatchObject({ state: 'applied' });
      const shown = french('descriptionHtml') ?? '';
      expect(shown).toContain(`<p>${text}</p>`);
      expect([shown.match(/<img/g)?.length, shown.match(/<table/g)?.length]).toEqual([1, 1]);
    }
    expect(await stages.sync()).toMatchObject({ counts: { updated: 0, generationRequested: 0 } });
  });

  it('is held back by the gate of length like a text of the shop’s own language', async () => {
    configured({ keep: [], gates: { ...ungated, shrink: 0.9 } });
    inFrench({ html_description: '<p>Court.</p>' });
    const row = await written({ html: PRIMARY });
    expect(row).toMatchObject({ state: 'pending_review' });
    expect(row.gateFindings.map(({ gate, target }) => [gate, target])).toEqual([
      ['shrink', 'fr:descriptionHtml'],
    ]);
    expect(french('descriptionHtml')).toBeUndefined();
  });

  it('is made of the description where the service leaves its HTML as it was, in every language', async () => {
    const product = {
      ...{ id: Number((await stages.link(1)).catalogId), external_id: snapshot(1).externalId },
      ...{ name: 'Lamp', description: 'A new lamp.', html_description: PRIMARY },
    };
    inFrench({ ...product, description: 'Une lampe.\n\nNeuve.' } as object);
    await written({ product });
    expect(stages.store.at('1').descriptionHtml).toMatch(/^<p>A new lamp.<\/p>/);
    expect(french('descriptionHtml')).toMatch(/^<p>Une lampe.<\/p>\n<p>Neuve.<\/p>\n<img/);
  });

  it('has no picture that makes a shop act, or of a strange host, and the journal names them', async () => {
    const hostile =
      '<img src="https://shop.example/cart/clear"><img src="https://tracker.example/x.png"><img src="https://cdn.example.com/b.jpg">';
    inFrench({ html_description: `<p>Lampe</p>${hostile}` });
    const row = await written({ html: `<p>Lamp</p>${hostile}` });
    for (const html of [french('descriptionHtml'), stages.store.at('1').descriptionHtml]) {
      expect(html).not.toMatch(/cart|tracker/);
      expect(html).toContain('https://cdn.example.com/b.jpg');
    }
    expect(row.intended.find(({ target }) => target === 'descriptionHtml')?.dropped).toEqual([
      'picture https://shop.example/cart/clear (it makes a shop act for the visitor)',
    ]);
    for (const { reason } of row.fields.filter(({ target }) => target.endsWith('descriptionHtml'))) {
      expect(reason).toContain(
        'picture https://shop.example/cart/clear (it makes a shop act for the visitor)',
      );
      expect(reason).toContain('picture https://tracker.example/x.png');
    }
  });

  it('that cannot be read is left alone by a revert, which restores the rest', async () => {
    const row = await written();
    stages.store.locales = [];
    await stages.reverter.revert(row.id, PERSON);
    expect(stages.store.at('1').title).toBe('Product 1');
    const { fields } = (await stages.writeBacks.get(row.id)) ?? { fields: [] };
    expect(fields.find(({ target }) => target === 'fr:descriptionHtml')).toMatchObject({
      outcome: 'not_ours',
    });
    expect(french('descriptionHtml')).toContain('Généré 1');
  });
});
