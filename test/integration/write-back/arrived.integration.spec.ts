import { beforeEach, describe, expect, it } from '@jest/globals';
import { StatusRepository } from '../../../src/persistence/status.repository.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, resultOf } from '../../support/results.js';
import { STORE, Stages } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
  await stages.sync();
});

const SECTIONS = [
  { code: 'power', value: '25 W' },
  { code: 'seo_title', value: 'Buy it' },
];

describe('content that a result brought and no setting maps', () => {
  it('stands in the row of its write-back, and is counted for its store', async () => {
    const { writeBackId } = await deliver(
      stages,
      await resultOf(stages, 1, { taskId: 'a', sections: SECTIONS }),
    );
    const row = await stages.writeBacks.get(writeBackId ?? '');
    expect(row?.arrived).toMatchObject([
      { from: 'name', fate: 'mapped', target: 'title' },
      { from: 'html_description', fate: 'mapped', target: 'descriptionHtml' },
      {
        from: 'sections.power',
        fate: 'not_mapped',
        setting: 'writeBack.sections.namespace',
        excerpt: '25 W',
      },
      { from: 'sections.seo_title', fate: 'not_mapped' },
    ]);
    const status = new StatusRepository(stages.db);
    expect((await status.unmapped([STORE], new Date(0))).get(STORE)).toBe(2);
    expect((await status.unmapped([STORE], new Date(Date.now() + 60_000))).get(STORE)).toBeUndefined();
  });

  it('is named by the delivery where nothing at all is mapped', async () => {
    stages.settings = { store: { writeBack: { fields: { brand: 'vendor' } } }, workspace: {} };
    const { delivery, writeBackId } = await deliver(
      stages,
      await resultOf(stages, 1, { taskId: 'a', sections: SECTIONS }),
    );
    expect(writeBackId).toBeNull();
    expect(delivery.note).toBe(
      'generated, but no setting maps what came: name, html_description, sections.power, sections.seo_title',
    );
  });
});
