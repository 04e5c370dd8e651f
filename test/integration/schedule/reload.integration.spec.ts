import { beforeEach, expect, it } from '@jest/globals';
import { FakeCatalog } from '../../support/fake-catalog.js';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Workspace } from '../../../src/connections/connections.js';
import { Schedulers } from '../../support/schedulers.js';
import { Stages } from '../../support/stages.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
});

it('a workspace that a reload adds is polled, one that it changes by its new client, and one that it removes no more', async () => {
  const { connections } = stages;
  // All schedulers and pollers share these connections, as in a process.
  const fixed = Object.create(stages, { connections: { value: connections } }) as Stages;
  const schedulers = new Schedulers(fixed);
  const registry = new SchedulerRegistry();
  const [first] = connections.workspaces;
  if (first === undefined) throw new Error('no workspace');
  const added = new FakeCatalog();
  const changed = new FakeCatalog();
  const looks = (client: FakeCatalog): number => client.script.count('listProducts');
  try {
    schedulers.scheduler(new Date(), { registry }).start();
    await until('the first look', () => looks(stages.catalog) > 0, 10_000);
    const second: Workspace = { ...first, key: 'second', client: added };
    connections.replace({ workspaces: [first, second], stores: connections.stores });
    await until('a look at the added one', () => looks(added) > 0, 10_000);
    connections.replace({ workspaces: [{ ...first, client: changed }], stores: connections.stores });
    await until('a look by the new client', () => looks(changed) > 0, 20_000);
    expect(looks(stages.catalog)).toBe(1);
    expect(registry.getIntervals().filter((name) => name.startsWith('polls of'))).toEqual([
      'polls of default',
    ]);
  } finally {
    schedulers.stop();
  }
});
