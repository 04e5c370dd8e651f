import { beforeEach, describe, expect, it } from '@jest/globals';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, write as writeRow } from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
});

const ENGLISH =
  'This elegant bottle keeps your drinks cold for a whole day and is made of stainless steel. It fits any bag.';
const OLD = 'Die alte Beschreibung der Flasche, die der Händler selbst geschrieben hat. ';

type Gates = Record<string, unknown>;

/** A store with the gates, one product that is synchronised, and a result for it; returns its write-back's id. */
async function result(
  gates: Gates,
  product: { name?: string; html_description?: string },
  settings: { locale?: string; keep?: string[]; merchant?: string } = {},
): Promise<string> {
  const writeBack = { gates, ...(settings.keep === undefined ? {} : { keep: settings.keep }) };
  stages.settings = {
    store: { writeBack },
    workspace: settings.locale === undefined ? {} : { locale: settings.locale },
  };
  const merchant = settings.merchant ?? '<p>Source 1</p>';
  stages.store.put({ ...snapshot(1), descriptionHtml: merchant });
  await stages.sync();
  return generated(product);
}

async function generated(product: { name?: string; html_description?: string }): Promise<string> {
  const { name, html_description: html } = product;
  const texts = { ...(name === undefined ? {} : { name }), ...(html === undefined ? {} : { html }) };
  // The product of a poll is known to be in the workspace's language. For a webhook the catalog is asked.
  return deliverNewer(stages, { ...texts, via: 'poll' });
}

const write = (id: string) => writeRow(stages, id);

describe('a generated text that fails a gate', () => {
  it('waits for review with the reason, and nothing of it reaches the store', async () => {
    const id = await result({ forbid: ['(?i)best price'] }, { name: 'The Best Price bottle' });
    stages.store.script.forget();
    expect(await write(id)).toMatchObject({
      state: 'pending_review',
      reason: 'held back by a gate: title: “Best Price” is forbidden',
      gateFindings: [{ gate: 'forbid', target: 'title', found: 'Best Price' }],
      sent: {},
    });
    expect(stages.store.script.operations()).toEqual(['readLive']);
    expect(stages.store.at('1').title).toBe('Product 1');
  });

  it('is written once a person approves it', async () => {
    const id = await result({ forbid: ['(?i)best price'] }, { name: 'The Best Price bottle' });
    await write(id);
    expect(await stages.decisions.decide(id, 'approve', PERSON)).toBe('decided');
    expect(await write(id)).toMatchObject({ state: 'applied' });
    expect(stages.store.at('1').title).toBe('The Best Price bottle');
  });

  it('is skipped where the gates block', async () => {
    const id = await result({ title: { maxLength: 10 }, onFail: 'block' }, { name: 'A title of many words' });
    expect(await write(id)).toMatchObject({
      state: 'skipped',
      reason: 'held back by a gate: title: 21 characters, at most 10 allowed',
    });
    expect(stages.store.at('1').title).toBe('Product 1');
  });

  it('is another language than the workspace’s', async () => {
    const html_description = `<p>${ENGLISH}</p>`;
    const id = await result({}, { html_description }, { locale: 'de' });
    expect(await write(id)).toMatchObject({ state: 'pending_review', gateFindings: [{ gate: 'language' }] });
  });

  it('is much shorter than what the merchant wrote', async () => {
    const merchant = `<p>${OLD.repeat(5)}</p>`;
    const id = await result({}, { html_description: '<p>Kurz.</p>' }, { merchant });
    expect(await write(id)).toMatchObject({ state: 'pending_review', gateFindings: [{ gate: 'shrink' }] });
  });
});

describe('a merchant’s pictures and tables', () => {
  const media = '<img src="https://cdn.example.com/a.jpg"><table><tr><td>S</td></tr></table>';

  it('stay after the generated text, night after night', async () => {
    const merchant = `<p>Old.</p>${media}`;
    const first = await result({ shrink: 0 }, { html_description: '<p>New one.</p>' }, { merchant });
    expect(await write(first)).toMatchObject({ state: 'applied' });
    const afterFirst = stages.store.at('1').descriptionHtml ?? '';
    expect(afterFirst).toContain('<p>New one.</p>');
    expect(afterFirst.match(/<img/g)).toHaveLength(1);
    expect(afterFirst).toContain('<table>');

    // The next night reads our text and takes it for the merchant's old one: nothing is pushed.
    const counts = (await stages.sync({ full: true })).counts;
    expect(counts).toMatchObject({ updated: 0 });
    expect(await write(await generated({ html_description: '<p>Newer one.</p>' }))).toMatchObject({
      state: 'applied',
    });
    const afterSecond = stages.store.at('1').descriptionHtml ?? '';
    expect(afterSecond).toContain('<p>Newer one.</p>');
    expect(afterSecond).not.toContain('New one.');
    expect(afterSecond.match(/<img/g)).toHaveLength(1);
    expect(afterSecond.match(/<table/g)).toHaveLength(1);
  });
});
