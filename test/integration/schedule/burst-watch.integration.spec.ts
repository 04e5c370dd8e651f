import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProcessRole } from '../../../src/config/index.js';
import { DeliveryRepository } from '../../../src/persistence/delivery.repository.js';
import { DeliveryPacer } from '../../../src/queue/index.js';
import { BurstWatch } from '../../../src/schedule/burst-watch.js';
import { loggerTo } from '../../support/logs.js';
import { Stages, WORKSPACE } from '../../support/stages.js';
import { until } from '../../support/until.js';

let stages: Stages;
let pacer: DeliveryPacer;
let ends: (() => void)[];
beforeAll(async () => {
  stages = await Stages.open();
});
beforeEach(async () => {
  await stages.reset();
  pacer = new DeliveryPacer({ enqueueMany: () => Promise.resolve(0) });
  ends = [];
});
afterEach(() => {
  for (const end of ends) end();
  pacer.close();
});
afterAll(async () => stages.close());

function watch(roles: readonly ProcessRole[] = ['work']): BurstWatch {
  const made = new BurstWatch(
    new DeliveryRepository(stages.db),
    pacer,
    { server: { roles: [...roles] } },
    loggerTo(() => undefined),
  );
  ends.push(() => {
    made.onModuleDestroy();
  });
  return made;
}

/** So many deliveries, as another process stores them. */
async function arrive(count: number, via = 'webhook', receivedAt = 'now()'): Promise<void> {
  await stages.db.affected(
    `INSERT INTO webhook_delivery (workspace, dedupe_key, via, raw_body, received_at)
     SELECT $1, $2 || number, $2, '', ${receivedAt} FROM generate_series(1, $3::integer) AS number`,
    [WORKSPACE, via, count],
  );
}

describe('a process that works and does not receive', () => {
  it('paces its deliveries while another one receives 200 a second', async () => {
    await arrive(200);
    await watch().look();
    expect(pacer.flooded).toBe(true);
  });

  it.each([
    ['fewer', () => arrive(199)],
    ['results that were found by polling', () => arrive(500, 'poll')],
    ['those that came earlier', () => arrive(500, 'webhook', `now() - interval '2 seconds'`)],
  ])('does not pace them because of %s', async (_what, arrived) => {
    await arrived();
    await watch().look();
    expect(pacer.flooded).toBe(false);
  });

  it('looks by itself, unlike one that receives', async () => {
    // They stay within the last second for as long as the test takes.
    await arrive(200, 'webhook', `now() + interval '1 minute'`);
    const receiving = new DeliveryPacer({ enqueueMany: () => Promise.resolve(0) });
    watch(['work']).onApplicationBootstrap();
    await until('it has seen the burst', () => pacer.flooded);
    pacer.close();
    pacer = receiving;
    watch(['receive', 'work']).onApplicationBootstrap();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(pacer.flooded).toBe(false);
  });

  it('goes on when the database does not answer', async () => {
    const broken = new BurstWatch(
      { cameInLastSecond: () => Promise.reject(new Error('away')) } as unknown as DeliveryRepository,
      pacer,
      { server: { roles: ['work'] } },
      loggerTo(() => undefined),
    );
    await expect(broken.look()).resolves.toBeUndefined();
    expect(pacer.flooded).toBe(false);
  });
});
