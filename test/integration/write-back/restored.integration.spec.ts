import { beforeEach, expect, it } from '@jest/globals';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, writeAll } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());

it('a product that a write-back does not find is read again soon, so that it gets the result also when it comes back before the next scheduled run', async () => {
  stages.store.put(snapshot(1), snapshot(2));
  await stages.sync();
  const shown = stages.store.at('1');
  const skipped = await deliverNewer(stages);
  stages.store.products.delete('1');
  await stages.writer.write(skipped);
  expect(await stages.owed.storesAnnounced(0)).toEqual([STORE]);
  expect((await stages.sync({ full: false, force: true })).counts).toMatchObject({ orphaned: 1 });
  stages.store.put(shown);
  await stages.sync();
  await writeAll(stages);
  expect(stages.store.at('1')).toMatchObject({ title: 'Generated 1' });
  expect(await stages.owed.storesAnnounced(0)).toEqual([]);
});
