import { expect } from '@jest/globals';
import type { TargetWrite } from '../../../src/domain/store-port.js';
import type { StoreContract, StoreRule } from './subject.js';

const TEXT = 'descriptionHtml';

export function writeRules(rule: StoreRule): void {
  rule(
    'What a write answers is what every read shows from then on, so that its echo is known',
    async (store) => {
      const id = await store.create();
      const { target, type } = store.subject.section;
      const live = await store.live(id, 'title', TEXT, target);
      const outcomes = await store.write(
        id,
        store.over(live, 'title', store.unique('Tea & “biscuits”')),
        store.over(live, TEXT, '<p>New &amp; <strong>good</strong></p>'),
        store.over(live, target, store.unique('section'), type),
      );
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(['written', 'written', 'written']);
      for (const outcome of outcomes)
        expect(await store.value(id, outcome.target)).toBe('value' in outcome ? outcome.value : null);
      const snapshot = await store.snapshot(id);
      const stored = new Map(
        outcomes.map((outcome) => [outcome.target, 'value' in outcome ? outcome.value : null]),
      );
      expect([snapshot.title, snapshot.descriptionHtml]).toEqual([stored.get('title'), stored.get(TEXT)]);
    },
  );

  rule(
    'A merchant’s text that came after the read is left alone where the connector or the store can see it',
    async (store) => {
      const id = await store.create();
      const live = await store.live(id, TEXT);
      await store.subject.keeper.edit(id, { descriptionHtml: '<p>The merchant’s</p>' });
      const [outcome] = await store.write(id, store.over(live, TEXT, '<p>ours</p>'));
      const isSeen = store.subject.can.guardsTexts || store.subject.can.looksBeforeTexts;
      expect(outcome?.outcome).toBe(isSeen ? 'changed_meanwhile' : 'written');
      expect(await store.value(id, TEXT)).toBe(isSeen ? '<p>The merchant’s</p>' : '<p>ours</p>');
    },
  );

  rule(
    'A merchant’s text that comes while a write is on its way stays only where the store guards texts',
    async (store) => {
      const { beforeWrite } = store.emulator;
      // Where the store takes a write whole, nothing comes between.
      if (beforeWrite === null) return;
      const id = await store.create();
      const live = await store.live(id, TEXT);
      beforeWrite(() => store.emulator.edit(id, { descriptionHtml: '<p>The merchant’s</p>' }));
      const [outcome] = await store.write(id, store.over(live, TEXT, '<p>ours</p>'));
      expect(outcome?.outcome).toBe(store.subject.can.guardsTexts ? 'changed_meanwhile' : 'written');
      expect(await store.value(id, TEXT)).toBe(
        store.subject.can.guardsTexts ? '<p>The merchant’s</p>' : '<p>ours</p>',
      );
    },
    ['emulator'],
  );

  rule('A metafield that was changed since the read is left alone', async (store) => {
    const id = await store.create();
    const { target, type } = store.subject.section;
    const before = await store.live(id, target);
    await store.write(id, store.over(before, target, 'another’s', type));
    const [outcome] = await store.write(id, store.over(before, target, 'ours', type));
    expect(outcome?.outcome).toBe('changed_meanwhile');
    expect(await store.value(id, target)).toBe('another’s');
  });

  rule('A refused target does not affect the others', async (store) => {
    const id = await store.create();
    const { section, refused } = store.subject;
    const live = await store.live(id, TEXT, section.target, refused.target);
    const outcomes = await store.write(
      id,
      store.over(live, refused.target, refused.value, refused.type),
      store.over(live, TEXT, '<p>good</p>'),
      store.over(live, section.target, 'good', section.type),
    );
    const byTarget = Object.fromEntries(outcomes.map((outcome) => [outcome.target, outcome]));
    expect(byTarget).toMatchObject({
      [refused.target]: { outcome: 'refused', reason: expect.stringMatching(/\w/) },
      [TEXT]: { outcome: 'written' },
      [section.target]: { outcome: 'written' },
    });
    expect(await store.value(id, TEXT)).toBe('<p>good</p>');
  });

  rule('A removed metafield is gone, and to remove one that is not there is no error', async (store) => {
    const id = await store.create();
    const { target, type } = store.subject.section;
    await store.write(id, store.over(await store.live(id, target), target, 'x', type));
    for (const _time of [1, 2]) {
      const [outcome] = await store.write(id, store.over(await store.live(id, target), target, null, type));
      expect(outcome).toMatchObject({ outcome: 'written', value: null });
      expect(await store.value(id, target)).toBeNull();
    }
  });

  rule('A write to a product that is gone fails with not_found', async (store) => {
    const id = await store.create();
    const write = store.over(await store.live(id, 'title'), 'title', 'x');
    await store.subject.keeper.remove(id);
    await expect(store.write(id, write)).rejects.toMatchObject({ code: 'not_found' });
  });

  rule('Nothing is sent when the last look before a request says no', async (store) => {
    const id = await store.create();
    const write = store.over(await store.live(id, 'title'), 'title', 'never');
    const before = store.subject.emulator?.writes();
    const stop = new Error('stop');
    const sending = drained(store, id, write, stop);
    await expect(sending).rejects.toBe(stop);
    expect(await store.value(id, 'title')).not.toBe('never');
    expect(store.subject.emulator?.writes()).toBe(before);
  });

  rule(
    'A write whose answer is lost is not sent again: it may have been carried out',
    async (store) => {
      const id = await store.create();
      const write = store.over(await store.live(id, 'title'), 'title', 'once');
      const before = store.emulator.writes();
      store.emulator.loseAnswerOfWrite();
      await expect(store.write(id, write)).rejects.toMatchObject({ code: 'transient', outcomeUnknown: true });
      expect(await store.value(id, 'title')).toBe('once');
      expect(store.emulator.writes()).toBe(before + 1);
    },
    ['emulator'],
  );

  rule(
    'A write of what stands there already is known for a change or not, as the store does',
    async (store) => {
      const id = await store.create();
      const title = await store.value(id, 'title');
      // Changes are found by whole seconds, and the creation is none of them.
      await new Promise((resolve) => setTimeout(resolve, 2100));
      const before = new Date();
      await store.write(id, store.over(await store.live(id, 'title'), 'title', title));
      const moved = (await store.changedSince(before)).has(id);
      // A connector may leave the request out; then nothing moves anywhere.
      if (moved) expect(store.subject.can.announcesNoOps).toBe(true);
    },
  );
}

async function drained(store: StoreContract, id: string, write: TargetWrite, error: Error): Promise<void> {
  const options = { beforeSend: () => Promise.reject(error) };
  for await (const _outcomes of store.connector.write(id, [write], options)) throw new Error('it was sent');
}
