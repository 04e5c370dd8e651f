import { getQueueToken } from '@nestjs/bullmq';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Queue } from 'bullmq';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { stopServer } from '../../../src/embedded-postgres/server.js';

import { QUEUE_BACKEND, type QueueBackend } from '../../../src/queue/queue-backend.js';
import { type Child, startChild } from '../../support/child.js';
import { Gate } from '../../support/call-script.js';
import { until } from '../../support/until.js';
import { TcpGate } from '../../support/tcp-gate.js';
import { createTestDatabase, startTestCluster, type TestCluster } from '../../support/postgres.js';
import { type QueueApplication, startQueueApplication } from './application.js';

const WORKER = fileURLToPath(new URL('stuck-worker.ts', import.meta.url));

const applications: QueueApplication[] = [];
const children: Child[] = [];

afterEach(async () => {
  await Promise.all(children.splice(0).map(async (child) => await child.kill()));
  await closeApplications();
});

async function closeApplications(): Promise<void> {
  for (const application of applications.splice(0)) await application.context.close();
}

async function start(
  databaseUrl: string,
  options: { waitMs?: number; drainMs?: number } = {},
): Promise<QueueApplication> {
  const application = await startQueueApplication({ storage: { kind: 'postgres', databaseUrl }, ...options });
  applications.push(application);
  return application;
}

function runs(application: QueueApplication): Queue {
  return application.context.get<Queue>(getQueueToken('runs'), { strict: false });
}

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The limit for changes that no event reports. */
const WITHIN_MS = 10_000;
/** How long calls are counted where nothing should happen. A loop would call thousands of times in it. */
const RATE_MS = 1_500;

/** How often a method is called in `ms` milliseconds. */
async function timesIn<T extends object>(
  ms: number,
  prototype: T,
  method: keyof T & string,
): Promise<number> {
  const spy = jest.spyOn(prototype, method as never);
  try {
    await sleep(ms);
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
  }
}

describe('the queues on PostgreSQL', () => {
  it('keep to a schema of their own', async () => {
    const { url } = await createTestDatabase();
    await start(url);
    expect(
      await query(
        url,
        "SELECT DISTINCT schemaname FROM pg_tables WHERE schemaname NOT LIKE 'pg_%' AND schemaname <> 'information_schema'",
      ),
    ).toEqual([{ schemaname: 'bullmq' }]);
  });

  it('share one pool among all queues and workers', async () => {
    const { url } = await createTestDatabase();
    const application = await start(url);
    const ids = Array.from({ length: 200 }, (_, index) => `run-${index}`);
    expect(await application.jobs.enqueueMany('runs', ids)).toBe(200);
    await application.ledger.until(...ids);
    const [row] = await query(
      url,
      'SELECT count(*)::int AS connections FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    expect((row as { connections: number }).connections).toBeLessThanOrEqual(16);
  });

  it('leave nothing of jobs that are done', async () => {
    const { url } = await createTestDatabase();
    const application = await start(url);
    await application.jobs.enqueueMany('runs', ['a', 'b']);
    await application.ledger.until('a', 'b');
    await until(
      'the end of every job',
      async () =>
        (await runs(application).getJobCounts())['completed'] === 0 &&
        (await runs(application).getActiveCount()) === 0,
      WITHIN_MS,
    );
  });

  it('do not try a job again that threw: its row decides', async () => {
    const { url } = await createTestDatabase();
    const application = await start(url);
    let attempts = 0;
    application.ledger.work = () => {
      attempts += 1;
      return Promise.reject(new Error('refused'));
    };
    await application.jobs.enqueue('runs', 'bad');
    await until('the failed job', async () => (await runs(application).getFailedCount()) === 1, WITHIN_MS);
    expect(attempts).toBe(1);
    await until('the line about it', () => application.lines.join('\n').includes('refused'), WITHIN_MS);
  });

  it('do a job again whose worker was killed, as often as it is killed', async () => {
    const { url } = await createTestDatabase();
    const application = await startQueueApplication({ storage: { kind: 'postgres', databaseUrl: url } });
    await application.context.close(); // only so that the schema is there
    for (let round = 0; round < 3; round += 1) {
      const child = startChild(WORKER, [url]);
      children.push(child);
      if (round === 0) child.send('enqueue killed');
      expect(await child.said('working on ')).toBe('killed');
      await child.kill();
    }
    const survivor = await start(url);
    await survivor.ledger.until('killed');
  });

  it('end in time although a job does not', async () => {
    const { url } = await createTestDatabase();
    const application = await startQueueApplication({
      storage: { kind: 'postgres', databaseUrl: url },
      drainMs: 200,
    });
    const started = new Promise<void>((resolve) => {
      application.ledger.work = async () => {
        resolve();
        await new Promise(() => undefined);
      };
    });
    await application.jobs.enqueue('runs', 'stuck');
    await started;
    const closing = performance.now();
    await application.context.close();
    expect(performance.now() - closing).toBeLessThan(8_000);
    expect(application.lines.join('\n')).toContain('they will be done again');
  });

  it('construct nothing when the start fails: the process has nothing left to wait for', async () => {
    const child = startChild(fileURLToPath(new URL('refused-start.ts', import.meta.url)), []);
    children.push(child);
    expect(await child.said('refused ')).toBe('transient');
    expect(await child.exit()).toBe(0);
  });

  it('rest while the server refuses their statements', async () => {
    const { url } = await createTestDatabase();
    const application = await start(url);
    await application.jobs.enqueue('runs', 'first');
    await application.ledger.until('first');
    // The workers' own statements may lock the tables the other way round: then try again.
    const dropped = async (): Promise<boolean> =>
      await query(url, 'DROP SCHEMA bullmq CASCADE').then(
        () => true,
        () => false,
      );
    await until('the loss of every connection', dropped, WITHIN_MS);
    expect(await timesIn(RATE_MS, pg.Client.prototype, 'query')).toBeLessThan(60);
    expect(await application.jobs.enqueue('runs', 'lost')).toBe(false);
    expect(application.lines.length).toBeLessThan(20);
  });

  it('finish the job that runs when they are closed', async () => {
    const { url } = await createTestDatabase();
    const application = await startQueueApplication({ storage: { kind: 'postgres', databaseUrl: url } });
    const gate = new Gate();
    application.ledger.work = gate.hold;
    await application.jobs.enqueue('runs', 'last');
    await gate.reached;
    const closed = application.context.close();
    gate.open();
    await closed;
    expect(application.ledger.seen).toEqual(['last']);
  });

  it('refuse to start, as misconfigured, when the database refuses them', async () => {
    const { url } = await createTestDatabase();
    const wrong = new URL(url);
    wrong.password = 'canary';
    await expect(start(wrong.href)).rejects.toMatchObject({ code: 'misconfigured' });
    wrong.protocol = 'mysql:';
    await expect(start('mysql://u:canary@db/x')).rejects.not.toThrow(/canary/);
  });
});

describe('the queues while their PostgreSQL is away', () => {
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startTestCluster('queue');
  });

  it('go on by themselves after the server was stopped at once and started again', async () => {
    const application = await start(cluster.url);
    await application.jobs.enqueue('runs', 'before');
    await application.ledger.until('before');
    for (let round = 0; round < 2; round += 1) {
      await stopServer(cluster.place, 'immediate', 10_000);
      expect(await application.jobs.enqueue('runs', 'lost')).toBe(false);
      await cluster.start();
      await until('a job that is taken', () => application.jobs.enqueue('runs', `after-${round}`), WITHIN_MS);
      await application.ledger.until(`after-${round}`);
    }
  });

  it('count a job that was lost, and throw nothing', async () => {
    const application = await start(cluster.url);
    await stopServer(cluster.place, 'fast', 10_000);
    try {
      expect(await application.jobs.enqueueMany('deliveries', ['a', 'b'])).toBe(0);
      expect(application.jobs.failures.get('deliveries')).toBe(2);
      const backend = application.context.get<QueueBackend>(QUEUE_BACKEND, { strict: false });
      await expect(backend.ping()).rejects.toMatchObject({ code: 'transient' });
    } finally {
      await cluster.start();
    }
  });

  it('rest while the server says that it is starting, and go on when it has', async () => {
    const inFront = new URL(cluster.url);
    const gate = await TcpGate.before({ host: inFront.hostname, port: Number(inFront.port) });
    try {
      inFront.port = String(gate.port);
      const application = await start(inFront.href);
      gate.sayStarting();
      const attempts = await timesIn(RATE_MS, pg.Client.prototype, 'connect');
      expect(attempts).toBeGreaterThan(0);
      expect(attempts).toBeLessThan(60);
      expect(application.lines.length).toBeLessThan(20);
      gate.open();
      await until('a job that is taken', () => application.jobs.enqueue('runs', 'started'), WITHIN_MS);
      await application.ledger.until('started');
    } finally {
      await closeApplications();
      await gate.close();
    }
  });

  it('rest while the server is away, also when it went in their first moment', async () => {
    const application = await start(cluster.url);
    await stopServer(cluster.place, 'fast', 10_000);
    const attempts = await timesIn(RATE_MS, pg.Client.prototype, 'connect');
    const lines = application.lines.length;
    await cluster.start();
    expect(attempts).toBeGreaterThan(0);
    expect(attempts).toBeLessThan(60);
    expect(lines).toBeLessThan(20);
    await until('a job that is taken', () => application.jobs.enqueue('runs', 'afterwards'), WITHIN_MS);
    await application.ledger.until('afterwards');
  });

  it('wait for a server that is not there yet, and only then are constructed', async () => {
    await stopServer(cluster.place, 'fast', 10_000);
    const starting = start(cluster.url, { waitMs: 15_000 });
    await sleep(300); // it is to meet a dead server first
    await cluster.start();
    const application = await starting;
    await application.jobs.enqueue('runs', 'first');
    await application.ledger.until('first');
  });

  it('close although the server is away', async () => {
    const application = await startQueueApplication({
      storage: { kind: 'postgres', databaseUrl: cluster.url },
      drainMs: 500,
    });
    await stopServer(cluster.place, 'immediate', 10_000);
    try {
      await application.context.close();
    } finally {
      await cluster.start();
    }
  });
});
