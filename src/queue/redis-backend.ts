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
  const subject = `Redis at ${new URL(redisUrl).host} (queue.redisUrl)`;
  const ping = async (): Promise<void> => {
    const answer = redis.ping().catch((error: unknown) => {
      throw translated(subject, error);
    });
    await within(PING_TIMEOUT_MS, answer, timedOut(`${subject} does not answer`));
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
function translated(subject: string, cause: unknown): CodedError {
  const code = cause instanceof Error ? (/^[A-Z]+/.exec(cause.message)?.[0] ?? '') : '';
  return ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code)
    ? new CodedError('misconfigured', `${subject} refuses us (${code})`, { cause })
    : new CodedError('transient', `${subject} cannot be used`, { cause });
}
