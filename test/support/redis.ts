import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { ownPort } from './ports.js';
import { noteProcess, runDirectory } from './run-directory.js';

/** A Redis of a test's own, which it may stop and start again. */
export interface TestRedis {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Its name and version. */
  version(): Promise<string>;
}

export function redisInstalled(): boolean {
  // Named, because Jest gives tests a copy of the environment and a child gets the original.
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore', env: process.env }).status === 0;
}

/**
 * Whether the suites that need Redis can run. They are skipped where redis-server is not installed, but fail under
 * STORE_SYNC_TEST_REDIS=required (CI).
 */
export function redisAvailable(): boolean {
  const installed = redisInstalled();
  if (!installed && process.env['STORE_SYNC_TEST_REDIS'] === 'required') {
    throw new Error('STORE_SYNC_TEST_REDIS=required, and redis-server is not installed');
  }
  return installed;
}

let worlds = 0;

/**
 * With REDIS_URL the same tests run on Redis: the URL of a database for each world, since ids of one mean nothing in another; null
 * without it.
 */
export function redisOfAWorld(): string | null {
  const base = process.env['REDIS_URL'] ?? '';
  if (base === '') return null;
  const url = new URL(base);
  url.pathname = `/${String((Number(process.env['JEST_WORKER_ID'] ?? '0') * 5 + (worlds++ % 5)) % 16)}`;
  return url.href;
}

/**
 * Starts a redis-server on a free port. It keeps nothing on disk. The run's janitor ends it
 * if nobody stops it. Rejects when it does not start.
 */
export async function startTestRedis(moreOptions: Readonly<Record<string, string>> = {}): Promise<TestRedis> {
  const port = await ownPort();
  const directory = await mkdtemp(join(runDirectory(), 'redis-'));
  const url = `redis://127.0.0.1:${port}/0`;
  let server: ChildProcess | undefined;
  let forget: (() => Promise<void>) | undefined;
  const start = async (): Promise<void> => {
    const options = {
      ...{ port: String(port), bind: '127.0.0.1', save: '', appendonly: 'no', dir: directory },
      ...moreOptions,
    };
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn('redis-server', args, { stdio: 'ignore', env: process.env });
    // Rejects when the program is missing. Without a listener that error would end this process.
    await once(child, 'spawn');
    server = child;
    forget = await noteProcess(child.pid ?? 0, String(port));
    await answer(url, child);
  };
  const stop = async (): Promise<void> => {
    if (server === undefined) return;
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    }
    await forget?.();
    server = undefined;
  };
  await start();
  return { url, start, stop, version: () => versionOf(url) };
}

async function versionOf(url: string): Promise<string> {
  const redis = new Redis(url);
  try {
    const info = await redis.info('server');
    const field = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];
    const valkey = field('valkey_version');
    return valkey === undefined ? `Redis ${field('redis_version') ?? ''}` : `Valkey ${valkey}`;
  } finally {
    redis.disconnect();
  }
}

async function answer(url: string, server: ChildProcess): Promise<void> {
  const redis = new Redis(url, { retryStrategy: () => 25, maxRetriesPerRequest: null });
  redis.on('error', () => undefined); // not there yet
  const ready = new AbortController();
  try {
    const ended = once(server, 'exit', { signal: ready.signal }).then(() => {
      throw new Error('redis-server ended at once');
    });
    ended.catch(() => undefined); // aborted, once it answers
    const late = sleep(10_000, undefined, { signal: ready.signal }).then(() => {
      throw new Error('redis-server does not answer');
    });
    late.catch(() => undefined); // aborted, once it answers
    await Promise.race([redis.ping(), ended, late]);
  } finally {
    ready.abort();
    redis.disconnect();
  }
}
