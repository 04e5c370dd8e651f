import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CatalogClient } from '../../../src/catalog/client.js';
import { openDataSource } from '../../../src/persistence/data-source.js';
import { Database } from '../../../src/persistence/database.js';
import type { RequestRate } from '../../../src/domain/request-rate.js';
import { RequestRateRepository } from '../../../src/persistence/request-rate.repository.js';
import { createMigratedDatabase } from '../../support/postgres.js';

const WORKSPACE = 'default';
const CEILING = 40;

let db: Database;
let rates: RequestRateRepository;
let service: Server;
/** When each request arrived. */
let arrivals: number[] = [];
let refuseNext = 0;
const clients: CatalogClient[] = [];

beforeAll(async () => {
  const { url } = await createMigratedDatabase();
  db = new Database(await openDataSource({ url, poolSize: 4 }));
  rates = new RequestRateRepository(db);
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
  await db.affected('DELETE FROM workspace_state');
  arrivals = [];
  refuseNext = 0;
});
afterAll(async () => {
  for (const client of clients) client.close();
  service.closeAllConnections();
  service.close();
  await db.dataSource.destroy();
});

const shared = (ceiling = CEILING): RequestRate => rates.of(WORKSPACE, ceiling);

/** The client of one process. */
function processOf(rate: RequestRate | undefined): CatalogClient {
  const client = new CatalogClient({
    baseUrl: `http://127.0.0.1:${String((service.address() as AddressInfo).port)}/api/v1`,
    auth: { apiToken: 'token' },
    requestsPerSecond: CEILING,
    rate,
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
    await busy([processOf(shared()), processOf(shared()), processOf(shared())], 1_500);
    expect(arrivals.length).toBeLessThanOrEqual(CEILING * 2.1);
    expect(arrivals.length).toBeGreaterThan(CEILING * 0.75);
    expect(mostInOneSecond()).toBeLessThanOrEqual(CEILING * 2);
  });

  it('all wait when the service refuses one of them', async () => {
    const [first, second] = [processOf(shared()), processOf(shared())];
    refuseNext = 1;
    const repeated = first.getProduct(1);
    while (refuseNext > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const refusedAt = arrivals.at(-1) ?? 0;
    await Promise.all([second.getProduct(1), repeated]);
    expect(arrivals.slice(1).map((at) => at - refusedAt >= 950)).toEqual([true, true]);
  });

  it('go on without one that died with starts in hand', async () => {
    for (let each = 0; each < CEILING / 2; each += 1) await shared().take();
    const began = performance.now();
    await processOf(shared()).getProduct(1);
    expect(performance.now() - began).toBeLessThan(1_500);
  });
});

describe('starts of a shared rate', () => {
  it('follow each other at the rate, whoever takes them', async () => {
    const starts = [];
    for (let each = 0; each < 31; each += 1) starts.push(await shared().take());
    const inMs = starts.map(({ atMs, startsInMs }) => atMs + startsInMs);
    const tookMs = (inMs[30] ?? 0) - (inMs[0] ?? 0);
    expect(tookMs).toBeGreaterThan(650);
    expect(tookMs).toBeLessThanOrEqual(752);
  });

  it('are never granted twice to processes that ask at once', async () => {
    const starts = await Promise.all(Array.from({ length: 20 }, () => shared(10).take()));
    const inMs = starts.map(({ atMs, startsInMs }) => atMs + startsInMs).sort((one, other) => one - other);
    const gaps = inMs.slice(1).map((ms, at) => ms - (inMs[at] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(95);
  });

  it('come half as fast after a refusal, once for all requests that ran then, and recover', async () => {
    const { atMs } = await shared().take();
    await shared().slowDown(atMs, 1);
    await shared().slowDown(atMs - 1_000, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const inMs = [];
    for (let each = 0; each < 40; each += 1) {
      const start = await shared().take();
      inMs.push(start.atMs + start.startsInMs);
    }
    expect((inMs[1] ?? 0) - (inMs[0] ?? 0)).toBeGreaterThan((1000 / CEILING) * 1.8);
    expect((inMs[1] ?? 0) - (inMs[0] ?? 0)).toBeLessThanOrEqual((1000 / CEILING) * 2);
    expect((inMs[39] ?? 0) - (inMs[38] ?? 0)).toBeCloseTo(1000 / CEILING, 0);
  });

  it('never become so slow that nothing moves', async () => {
    for (let each = 0; each < 20; each += 1) await shared().slowDown(Date.now() + 60_000, 0);
    const { atMs, startsInMs } = await shared().take();
    const next = await shared().take();
    expect(next.atMs + next.startsInMs - atMs - startsInMs).toBeLessThanOrEqual((32 * 1000) / CEILING);
  });

  it('are not granted during a pause', async () => {
    await shared().slowDown(null, 5_000);
    expect((await shared().take()).pausedForMs).toBeGreaterThan(4_000);
  });
});
