import { createRedisBackend, setDefaultBackendFactory } from 'bullmq';
import { Redis } from 'ioredis';
import { BACKOFF } from '../domain/backoff.js';
import { CodedError } from '../domain/errors.js';
import { sparingly } from './sparing-log.js';
import type { OpenOptions, QueueBackend } from './queue-backend.js';
import { repeatFor, timedOut, within } from '../runtime/time-limit.js';

const PING_TIMEOUT_MS = 3_000;

/** Queues in Redis: one connection for all of them, and one more per worker for its blocking call. */
export async function openRedisBackend(redisUrl: string, options: OpenOptions): Promise<QueueBackend> {
  if (!/^rediss?:\/\//.test(redisUrl) || !URL.canParse(redisUrl)) {
    throw new CodedError('misconfigured', 'queue.redisUrl must be a redis:// or rediss:// URL');
  }
  const redis = new Redis(redisUrl, {
    // Workers wait without limit for an unavailable Redis. The producer has its own limit.
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    keepAlive: 10_000,
    retryStrategy: (times) => BACKOFF.redisConnection.stepMs(times),
  });
  redis.setMaxListeners(100);
  const say = sparingly(options.log);
  redis.on('error', (error: Error) => say('queue Redis', error));
  const ping = async (): Promise<void> => {
    await within(PING_TIMEOUT_MS, redis.ping().catch(translated), timedOut('Redis does not answer'));
  };
  try {
    await repeatFor(options.waitMs, ping);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  return {
    kind: 'redis',
    connection: redis,
    select: () => setDefaultBackendFactory(createRedisBackend),
    ping,
    close: () => {
      redis.disconnect();
      return Promise.resolve();
    },
  };
}

/** Redis has its error code only at the start of the message. */
function translated(error: unknown): never {
  const code = error instanceof Error ? (/^[A-Z]+/.exec(error.message)?.[0] ?? '') : '';
  if (['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code)) {
    throw new CodedError('misconfigured', `Redis refuses us (${code})`, { cause: error });
  }
  throw new CodedError('transient', 'Redis cannot be used', { cause: error });
}
