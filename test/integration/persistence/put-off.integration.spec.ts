import { beforeEach, describe, expect, it } from '@jest/globals';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, receive } from '../../support/results.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());

describe('what is due of a side that does not answer', () => {
  it('waits, for a workspace: its deliveries, which count no attempt, but not one that is in work', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map((task) => receive(stages, { task: { id: task } })));
    const [inWork = '', ...waiting] = ids;
    await stages.deliveries.claim(inWork, 'worker', 60_000);
    const before = await stages.deliveries.get(inWork);
    await stages.deliveries.putOff('another');
    expect(await stages.deliveries.due(10)).toHaveLength(2);
    await stages.deliveries.putOff(WORKSPACE);
    expect(await stages.deliveries.due(10)).toEqual([]);
    expect(await stages.deliveries.get(inWork)).toEqual(before);
    await stages.db.affected(
      `UPDATE webhook_delivery SET next_attempt_at = next_attempt_at - interval '31 s'`,
    );
    expect((await stages.deliveries.due(10)).sort()).toEqual(waiting.sort());
    for (const id of waiting) {
      const row = await stages.deliveries.get(id);
      expect(row).toMatchObject({ state: 'received', attempts: 0, crashCount: 0 });
    }
  });

  it('waits, for a store: its write-backs, which count no attempt, but not those that come later', async () => {
    for (const id of [1, 2]) stages.store.put(snapshot(id));
    await stages.sync();
    const ids = [await deliverNewer(stages), await deliverNewer(stages, { id: 2 })];
    await stages.writeBacks.putOff('another');
    expect(await stages.writeBacks.due(10)).toHaveLength(2);
    await stages.writeBacks.putOff(STORE);
    expect(await stages.writeBacks.due(10)).toEqual([]);
    const later = await deliverNewer(stages, { name: 'Newer' });
    expect(await stages.writeBacks.due(10)).toEqual([later]);
    await stages.db.affected(`UPDATE write_back SET next_attempt_at = next_attempt_at - interval '31 s'`);
    expect(await stages.writeBacks.due(10)).toEqual(expect.arrayContaining([ids[1]]));
    expect(await stages.writeBacks.get(ids[1] ?? '')).toMatchObject({ state: 'ready', attempts: 0 });
  });
});
