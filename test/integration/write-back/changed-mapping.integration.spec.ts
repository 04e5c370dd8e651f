import { beforeEach, describe, expect, it } from '@jest/globals';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, outcomesOf, write } from '../../support/results.js';
import { PERSON, Stages } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
  await stages.sync();
});

function configure(writeBack: object): void {
  stages.settings = { store: { writeBack }, workspace: {} };
}

describe('a place that no setting maps any more', () => {
  const fields = { html_description: 'descriptionHtml' };

  it('keeps the merchant’s text when what waited for it is written', async () => {
    const id = await deliverNewer(stages);
    configure({ fields });
    expect(outcomesOf(await write(stages, id))).toEqual({ title: 'unfit', descriptionHtml: 'written' });
    expect(stages.store.at('1').title).toBe('Product 1');
  });

  it('keeps what the merchant edited there from an approval as well', async () => {
    configure({ mode: 'review' });
    const id = await deliverNewer(stages);
    stages.store.edit('1', { title: 'Mine' });
    configure({ mode: 'review', fields });
    expect(await stages.approver.approveRead(id, PERSON)).toBe('decided');
    expect(outcomesOf(await write(stages, id))).toEqual({ title: 'unfit', descriptionHtml: 'written' });
    expect(stages.store.at('1').title).toBe('Mine');
  });
});
