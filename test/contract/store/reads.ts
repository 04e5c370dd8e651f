import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { isCoded } from '../../../src/domain/errors.js';
import type { StoreRule } from './subject.js';

/** More than any connector reads in one part. */
const MANY = 420;

export function readRules(rule: StoreRule): void {
  rule('A whole read has every product of every status once, and says that it is whole', async (store) => {
    const own = [await store.create(), await store.create({ isDraft: true }), await store.create()];
    const { ids, end } = await store.whole();
    expect(end).toEqual({ complete: true });
    expect(ids).toEqual(expect.arrayContaining(own));
    expect(new Set(ids).size).toBe(ids.length);
    expect(await store.connector.count()).toBe(ids.length);
  });

  rule(
    'A whole read that is whole has every product that stayed, whatever came, went or changed meanwhile',
    async (store) => {
      const { emulator } = store;
      const ids = emulator.fill(MANY);
      const gone = ids.slice(0, 3);
      const changed = ids.slice(3, 6);
      let round = 0;
      const { ids: read, end } = await store.whole(() => {
        const [leaving, edited] = [gone[round], changed[round]];
        if (leaving !== undefined) emulator.remove(leaving);
        if (edited !== undefined) emulator.edit(edited, { title: `changed ${round}` });
        emulator.fill(1);
        round += 1;
      });
      expect(round).toBeGreaterThan(0);
      const stayed = ids.filter((id) => !gone.includes(id));
      const counted = new Map(stayed.map((id) => [id, read.filter((each) => each === id).length]));
      if (end.complete) expect([...counted.values()].filter((times) => times !== 1)).toEqual([]);
      else expect(end.why).not.toBe('');
    },
    ['emulator'],
  );

  rule(
    'A whole read that cannot be proved is not whole: it says why, or fails for a while',
    async (store) => {
      store.emulator.fill(MANY);
      if (store.emulator.breakWholeRead === null) return;
      store.emulator.breakWholeRead();
      const read = await store.whole().catch((error: unknown) => error);
      if (isCoded(read)) expect(read.code).toBe('transient');
      else expect(read).toMatchObject({ end: { complete: false, why: expect.stringMatching(/\w/) } });
    },
    ['emulator'],
  );

  rule(
    'A product that was deleted is missing in the next whole read, and null when it is asked for',
    async (store) => {
      const [kept, gone] = [await store.create(), await store.create()];
      await store.subject.keeper.remove(gone);
      const { ids, end } = await store.whole();
      expect([end.complete, ids.includes(kept), ids.includes(gone)]).toEqual([true, true, false]);
      const read = await store.connector.readProducts([gone, kept]);
      expect(read.map((product) => product?.storeId ?? null)).toEqual([null, kept]);
      expect(await store.connector.readTargets(gone, ['title'])).toBeNull();
    },
  );

  rule(
    'Products come in the order of the ids that were asked for, each with its own external id',
    async (store) => {
      const ids = [await store.create(), await store.create(), await store.create()];
      const wanted = [ids[2]!, ids[0]!, ids[1]!];
      const read = await store.connector.readProducts(wanted);
      expect(read.map((product) => product?.storeId)).toEqual(wanted);
      const names = read.map((product) => product?.snapshot().externalId);
      expect(new Set(names).size).toBe(3);
      for (const name of names) expect(name).toMatch(new RegExp(`^${store.subject.kind}:`));
    },
  );

  rule(
    'The read of changes has what changed since, by the whole second, and nothing of later',
    async (store) => {
      const [changed, untouched] = [await store.create(), await store.create()];
      await sleep(1100);
      const since = new Date();
      await store.subject.keeper.edit(changed, { title: store.unique('changed') });
      const read = await store.changedSince(since);
      expect([read.has(changed), read.has(untouched)]).toEqual([true, false]);
      expect(await store.changedSince(new Date(Date.now() + 3_600_000))).toEqual(new Set());
    },
  );

  rule(
    'A refusal for too many requests is waited for',
    async (store) => {
      const id = await store.create();
      store.emulator.throttle();
      expect((await store.live(id, 'title')).storeId).toBe(id);
    },
    ['emulator'],
  );
}
