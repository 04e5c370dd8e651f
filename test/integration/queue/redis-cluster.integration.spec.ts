import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProbeJob } from '../../../src/queue/job-probe.js';
import { openQueueBackend } from '../../../src/queue/open-queue-backend.js';
import { ownPort } from '../../support/ports.js';
import { redisAvailable, startTestRedis, type TestRedis } from '../../support/redis.js';

const describeWithRedis = redisAvailable() ? describe : describe.skip;

async function withBackend(redis: TestRedis, work: Parameters<typeof probe>[0] = () => Promise.resolve()) {
  return probe(work, redis);
}

async function probe(before: (redis: Redis) => Promise<void>, server: TestRedis): Promise<string[]> {
  const redis = new Redis(server.url, { db: 0 });
  const backend = await openQueueBackend(
    { kind: 'redis', redisUrl: server.url.replace(/\/0$/, '') },
    { waitMs: 5_000, log: () => undefined },
  );
  try {
    await before(redis);
    await runProbeJob(backend);
    return await redis.keys('*');
  } finally {
    await backend.close();
    redis.disconnect();
  }
}

describeWithRedis('a job in Redis', () => {
  let plain: TestRedis;
  let cluster: TestRedis;
  beforeAll(async () => {
    // By itself Redis takes the port that is higher by 10,000 for its cluster, which an outgoing connection may have.
    const options = { 'cluster-enabled': 'yes', 'cluster-port': String(await ownPort()) };
    [plain, cluster] = await Promise.all([startTestRedis(), startTestRedis(options)]);
  });
  afterAll(async () => Promise.all([plain.stop(), cluster.stop()]));

  it('goes through a server, and its queue leaves nothing behind', async () => {
    expect(await withBackend(plain)).toEqual([]);
  });

  it('is refused, with the reason, by a cluster that does not hold its keys', async () => {
    const without = async (redis: Redis): Promise<void> => {
      await redis.call('CLUSTER', 'FLUSHSLOTS');
    };
    await expect(withBackend(cluster, without)).rejects.toMatchObject({
      ...{ code: 'transient', message: expect.stringMatching(/the queue runs no jobs: .*CLUSTERDOWN/) },
    });
  });

  it('goes through a server in cluster mode, because all its keys have one slot', async () => {
    const taking = async (redis: Redis): Promise<void> => {
      await redis.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
      while (!String(await redis.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) await sleep(50);
    };
    expect(await withBackend(cluster, taking)).toEqual([]);
  });
});
