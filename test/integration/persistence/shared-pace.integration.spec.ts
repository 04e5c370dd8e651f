import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CatalogClient } from '../../../src/catalog/client.js';
import type { SharedPace } from '../../../src/catalog/shared-rate-limiter.js';
import { openDataSource } from '../../../src/persistence/data-source.js';
import { Database } from '../../../src/persistence/database.js';
import { PaceRepository } from '../../../src/persistence/pace.repository.js';
import { createMigratedDatabase } from '../../support/postgres.js';

const WORKSPACE = 'default';
const CEILING = 40;

let db: Database;
let pace: PaceRepository;
let service: Server;
/** When each request arrived. */
let arrivals: number[] = [];
let refuseNext = 0;
const clients: CatalogClient[] = [];

beforeAll(async () => {
  const { url } = await createMigratedDatabase();
  db = new Database(await openDataSource({ url, poolSize: 4 }));
  pace = new PaceRepository(db);
  service = createServer((_request, response) => {
    arrivals.push(performance.now());
    const refused = refuseNext > 0;
    if (refused) refuseNext -= 1;
    response.writeHead(refused ? 429 : 200, { 'content-type': 'application/json', 'retry-after': '1' });
    response.end(JSON.stringify({ id: 1, sections: [] }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
beforeEach(async () => {
  await db.affected('DELETE FROM workspace_pace');
  arrivals = [];
  refuseNext = 0;
});
afterAll(async () => {
  for (const client of clients) client.close();
  service.closeAllConnections();
  service.close();
  await db.dataSource.destroy();
});

const shared: SharedPace = {
  take: (wanted, served) => pace.take(WORKSPACE, CEILING, wanted, served),
  slowDown: (startedAgoMs, pauseMs) => pace.slowDown(WORKSPACE, CEILING, startedAgoMs, pauseMs),
};

/** The client of one process. */
function processOf(sharedPace: SharedPace | undefined): CatalogClient {
  const client = new CatalogClient({
    baseUrl: `http://127.0.0.1:${String((service.address() as AddressInfo).port)}/api/v1`,
    auth: { apiToken: 'token' },
    requestsPerSecond: CEILING,
    concurrency: 8,
    sharedPace,
  });
  clients.push(client);
  return client;
}

/** Each process asks without a pause until the time is over. */
async function busy(processes: readonly CatalogClient[], ms: number): Promise<void> {
  const end = performance.now() + ms;
  const worker = async (client: CatalogClient): Promise<void> => {
    while (performance.now() < end) await client.getProduct(1);
  };
  await Promise.all(processes.flatMap((client) => Array.from({ length: 4 }, () => worker(client))));
}

function mostInOneSecond(): number {
  return Math.max(...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + 1000).length));
}

describe('three processes of one workspace', () => {
  it('together keep the rate that one of them may use, and use it', async () => {
    await busy([processOf(shared), processOf(shared), processOf(shared)], 3_000);
    expect(arrivals.length).toBeLessThanOrEqual(CEILING * 3.6);
    expect(arrivals.length).toBeGreaterThan(CEILING * 1.5);
    expect(mostInOneSecond()).toBeLessThanOrEqual(CEILING * 2);
  });

  it('would exceed it with a limit each', async () => {
    await busy([processOf(undefined), processOf(undefined), processOf(undefined)], 2_000);
    expect(arrivals.length).toBeGreaterThan(CEILING * 2.6);
  });

  it('all wait when the service refuses one of them', async () => {
    const [first, second] = [processOf(shared), processOf(shared)];
    refuseNext = 1;
    await first.getProduct(1);
    const [refusedAt = 0, repeatedAt = 0] = arrivals;
    expect(repeatedAt - refusedAt).toBeGreaterThanOrEqual(950);
    refuseNext = 1;
    const third = first.getProduct(1);
    while (refuseNext > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const refusedAgainAt = arrivals.at(-1) ?? 0;
    await second.getProduct(1);
    await third;
    expect(arrivals.slice(3).every((at) => at - refusedAgainAt >= 950)).toBe(true);
  });

  it('go on without one that died with slots in hand', async () => {
    await pace.take(WORKSPACE, CEILING, CEILING / 2, 0);
    const began = performance.now();
    await processOf(shared).getProduct(1);
    expect(performance.now() - began).toBeLessThan(1_500);
  });
});

it('a process whose database does not answer goes on by itself, at an eighth of the rate', async () => {
  const faults: unknown[] = [];
  const client = new CatalogClient({
    baseUrl: `http://127.0.0.1:${String((service.address() as AddressInfo).port)}/api/v1`,
    auth: { apiToken: 'token' },
    requestsPerSecond: CEILING,
    sharedPace: {
      take: () => Promise.reject(new Error('the database is away')),
      slowDown: () => Promise.reject(new Error('the database is away')),
    },
    onPaceFault: (error) => faults.push(error),
  });
  clients.push(client);
  await busy([client], 2_000);
  expect(arrivals.length).toBeGreaterThan(2);
  expect(arrivals.length).toBeLessThanOrEqual((CEILING / 8) * 2 + 6);
  expect(faults).toHaveLength(1);
});

describe('slots of the shared pace', () => {
  it('follow each other at the rate, whoever takes them', async () => {
    const grants = [];
    for (let each = 0; each < 4; each += 1) grants.push(await pace.take(WORKSPACE, CEILING, 10, 0));
    const starts = grants.map(({ startsInMs }) => startsInMs);
    expect(grants.map(({ slots }) => slots)).toEqual([10, 10, 10, 10]);
    expect((starts[3] ?? 0) - (starts[0] ?? 0)).toBeGreaterThan(600);
    expect((starts[3] ?? 0) - (starts[0] ?? 0)).toBeLessThanOrEqual(751);
  });

  it('are never granted twice to processes that ask at once', async () => {
    const grants = await Promise.all(Array.from({ length: 20 }, () => pace.take(WORKSPACE, 1_000_000, 1, 0)));
    expect(grants.every(({ slots }) => slots === 1)).toBe(true);
    const later = await pace.take(WORKSPACE, 10, 1, 0);
    expect(later.intervalMs).toBe(100);
  });

  it('come half as fast after a refusal, once for all requests that ran then, and recover', async () => {
    await pace.take(WORKSPACE, CEILING, 1, 0);
    await pace.slowDown(WORKSPACE, CEILING, 10, 1);
    await pace.slowDown(WORKSPACE, CEILING, 1_000, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await pace.take(WORKSPACE, CEILING, 1, 0)).intervalMs).toBe((1000 / CEILING) * 2);
    expect((await pace.take(WORKSPACE, CEILING, 1, 25)).intervalMs).toBe(1000 / CEILING);
  });

  it('are not granted during a pause', async () => {
    await pace.slowDown(WORKSPACE, CEILING, null, 5_000);
    const granted = await pace.take(WORKSPACE, CEILING, 3, 0);
    expect(granted).toMatchObject({ slots: 0, intervalMs: 1000 / CEILING });
    expect(granted.pausedForMs).toBeGreaterThan(4_000);
  });
});
