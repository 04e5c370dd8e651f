import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { redisAvailable, startTestRedis, type TestRedis } from '../support/redis.js';
import { planSoak } from '../soak/plan.js';
import { chance } from './chance.js';
import { DeliverySender } from './deliveries.js';
import type { World } from '../support/e2e-world.js';
import { openFaultWorld } from './fault-world.js';
import { checkHistory } from './history.js';

(redisAvailable() ? describe : describe.skip)('with the queues in Redis', () => {
  let redis: TestRedis;
  let world: World | null = null;
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterEach(async () => {
    await world?.end();
    world = null;
  });
  afterAll(async () => redis.stop());

  it('a delivery gets 200 while Redis is down, and completes once it is back', async () => {
    const { here, sender, plan } = await open(20);
    await redis.stop();
    try {
      for (const delivery of plan.deliveries) sender.send(delivery);
      await sender.idle();
      for (const { statuses } of sender.sent) expect(statuses).toEqual([200]);
    } finally {
      await redis.start();
    }
    await expectAllRound(here, sender);
  });

  it('nothing is lost and nothing is done twice when they are emptied in the middle', async () => {
    const { here, sender, plan } = await open(60);
    const client = new Redis(redis.url);
    try {
      for (const [index, delivery] of plan.deliveries.entries()) {
        sender.send(delivery);
        if (index % 20 === 19) await client.flushall();
      }
      await sender.idle();
      await client.flushall();
    } finally {
      client.disconnect();
    }
    await expectAllRound(here, sender);
  });

  async function open(count: number) {
    // The catalog is asked which of two results is the newer one: one that refuses connections is asked again for half a minute.
    const here = await openFaultWorld({ redisUrl: redis.url, withCatalog: true });
    world = here;
    await here.startHere();
    const plan = await planSoak(here, count, chance(count));
    return { here, plan, sender: new DeliverySender(here.webhookUrl, here.webhookSecret) };
  }

  async function expectAllRound(here: World, sender: DeliverySender): Promise<void> {
    await here.settled();
    const { lost, doubled, refused, broken } = await checkHistory({ world: here, sent: sender.sent });
    expect({ lost, doubled, refused, broken }).toEqual({ lost: [], doubled: [], refused: [], broken: [] });
  }
});
