import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { QUEUE_BACKEND, type QueueBackend } from '../../../src/queue/queue-backend.js';
import { until } from '../../support/until.js';
import { redisAvailable, startTestRedis, type TestRedis } from '../../support/redis.js';
import { type QueueApplication, startQueueApplication } from './application.js';

const describeOnRedis = redisAvailable() ? describe : describe.skip;

let redis: TestRedis;
const applications: QueueApplication[] = [];

async function start(waitMs = 10_000): Promise<QueueApplication> {
  const application = await startQueueApplication({
    storage: { kind: 'redis', redisUrl: redis.url },
    waitMs,
    drainMs: 1_000,
  });
  applications.push(application);
  return application;
}

describeOnRedis('the queues on Redis', () => {
  beforeAll(async () => {
    redis = await startTestRedis();
  });
  afterAll(async () => {
    await redis.stop();
  });
  afterEach(async () => {
    for (const application of applications.splice(0)) await application.context.close();
  });

  it('keep their keys behind a prefix of their own', async () => {
    const application = await start();
    await application.jobs.enqueue('reconcile', 'nobody works on these here');
    const client = new Redis(redis.url);
    const keys = await client.keys('*');
    client.disconnect();
    expect(keys.length).toBeGreaterThan(0);
    expect(keys.filter((key) => !key.startsWith('{store-sync}:'))).toEqual([]);
  });

  it('go on by themselves after Redis was stopped and started again', async () => {
    const application = await start();
    await redis.stop();
    const startedAt = performance.now();
    expect(await application.jobs.enqueue('runs', 'while away')).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect(application.jobs.failures.get('runs')).toBe(1);
    const backend = application.context.get<QueueBackend>(QUEUE_BACKEND, { strict: false });
    await expect(backend.ping()).rejects.toMatchObject({ code: 'transient' });
    await redis.start();
    await until('a job that is taken', () => application.jobs.enqueue('runs', 'back'), 10_000);
    await application.ledger.until('back');
  });

  it('close although Redis is away', async () => {
    const application = await startQueueApplication({
      storage: { kind: 'redis', redisUrl: redis.url },
      drainMs: 500,
    });
    await redis.stop();
    try {
      const startedAt = performance.now();
      await application.context.close();
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    } finally {
      await redis.start();
    }
  });

  it('wait for a Redis that is not there yet, and give up as transient', async () => {
    await redis.stop();
    try {
      await expect(start(300)).rejects.toMatchObject({ code: 'transient' });
    } finally {
      await redis.start();
    }
  });

  it('refuse a URL that is none without quoting it', async () => {
    const attempt = startQueueApplication({ storage: { kind: 'redis', redisUrl: 'http://u:canary@x' } });
    await expect(attempt).rejects.toMatchObject({ code: 'misconfigured' });
    await expect(attempt).rejects.not.toThrow(/canary/);
  });
});
