import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../support/postgres.js';
import { TcpGate } from '../support/tcp-gate.js';
import { until, World } from '../support/e2e-world.js';

let gate: TcpGate;
let world: World;
let databaseUrl: string;

beforeAll(async () => {
  ({ url: databaseUrl } = await createTestDatabase());
  const behind = new URL(databaseUrl);
  gate = await TcpGate.before({ host: behind.hostname, port: Number(behind.port) });
  const inFront = new URL(databaseUrl);
  inFront.port = String(gate.port);
  world = await World.open({ database: { url: inFront.href } });
  await world.startHere();
});
afterAll(async () => {
  gate.open();
  await world.end();
  await gate.close();
});

let number = 0;
/** A delivery that no other test sends, about an unknown product, of about `bytes` bytes. */
function delivery(bytes = 0): string {
  number += 1;
  return JSON.stringify({
    action: 'product_generated',
    status: 'SUCCESS',
    credits: { consumed: 1, remaining: 5 },
    task: { id: `task-${number}`, status: 'SUCCESS', urls: [] },
    product: { id: 900_000 + number, external_id: `elsewhere:${number}`, description: 'x'.repeat(bytes) },
  });
}

async function stored(): Promise<number> {
  const [row] = await world.rows<{ count: string }>('SELECT count(*) FROM webhook_delivery');
  return Number(row?.count);
}

describe('a delivery to the running daemon', () => {
  it('with a good signature gets 200 and one row, however often it comes', async () => {
    const before = await stored();
    const body = delivery();
    expect(await world.deliver(body)).toBe(200);
    expect(await Promise.all([1, 2, 3, 4].map(() => world.deliver(body)))).toEqual([200, 200, 200, 200]);
    expect(await stored()).toBe(before + 1);
  });

  it.each([
    ['signed with another secret', { secret: 'not-the-secret' }, 401],
    ['without a signature', { headers: { 'x-webhook-signature': '' } }, 401],
    ['signed 21 minutes ago', { ageSeconds: 1260 }, 401],
    ['signed ten minutes in the future', { ageSeconds: -600 }, 401],
    ['for a workspace that is not configured', { workspace: 'nobody' }, 404],
  ])('%s is refused permanently and not stored', async (_name, options, status) => {
    const before = await stored();
    expect(await world.deliver(delivery(), options)).toBe(status);
    expect(await stored()).toBe(before);
  });

  it('that is a retry of eleven minutes later, with the first timestamp, gets 200', async () => {
    expect(await world.deliver(delivery(), { ageSeconds: 670 })).toBe(200);
  });

  it.each([
    ['101 KB', 101 * 1024],
    ['9.9 MB', Math.floor(9.9 * 1024 * 1024)],
  ])('of %s gets 200', async (_name, bytes) => {
    expect(await world.deliver(delivery(bytes))).toBe(200);
  });

  it('over 10 MB gets 413, since it can never succeed', async () => {
    const before = await stored();
    expect(await world.deliver(delivery(10 * 1024 * 1024))).toBe(413);
    expect(await stored()).toBe(before);
  });

  it.each<[string, () => string | Buffer, Record<string, string>]>([
    ['broken JSON', () => `${delivery().slice(0, -2)}, no end`, {}],
    ['nothing at all', () => '', {}],
    [
      'invalid UTF-8',
      () => Buffer.concat([Buffer.from(delivery().slice(0, -1)), Buffer.from([0xff, 0xfe])]),
      {},
    ],
    ['a NUL character', () => `${delivery()}\u0000`, {}],
    ['compressed bytes that no header speaks of', () => gzipSync(delivery()), {}],
  ])('that is signed and holds %s gets 200 and is parked', async (_name, body, headers) => {
    const raw = body();
    expect(await world.deliver(raw, { headers })).toBe(200);
    await until('the parked delivery', async () => {
      const rows = await world.rows('SELECT 1 FROM webhook_delivery WHERE raw_body = $1 AND state = $2', [
        Buffer.from(raw),
        'parked',
      ]);
      return rows.length === 1 ? true : null;
    });
  });

  it.each([
    ['content-type: text/plain', { 'content-type': 'text/plain' }],
    [
      'content-type: application/json; charset=latin1',
      { 'content-type': 'application/json; charset=latin1' },
    ],
    [
      'content-type: application/json; charset=nonsense',
      { 'content-type': 'application/json; charset=nonsense' },
    ],
    ['content-type: multipart/form-data', { 'content-type': 'multipart/form-data' }],
    ['content-encoding: gzip over plain bytes', { 'content-encoding': 'gzip' }],
  ])('with %s gets 200 and is stored byte for byte', async (_name, headers) => {
    const body = delivery();
    expect(await world.deliver(body, { headers })).toBe(200);
    expect(
      await world.rows('SELECT 1 FROM webhook_delivery WHERE raw_body = $1', [Buffer.from(body)]),
    ).toHaveLength(1);
  });
});

describe('a delivery while the database', () => {
  it.each([
    ['refuses connections', () => gate.shut()],
    ['hangs', () => gate.silence()],
  ])('%s gets 503 within 3.5 s, and 200 once it is back', async (_name, fail) => {
    const body = delivery();
    fail();
    try {
      const startedAt = performance.now();
      expect(await world.deliver(body)).toBe(503);
      expect(performance.now() - startedAt).toBeLessThan(3500);
      expect((await fetch(`${world.url}/health/live`)).status).toBe(200);
      // Readiness is looked up once a second.
      const ready = await until('the loss of readiness', async () => {
        const answer = await fetch(`${world.url}/health/ready`);
        return answer.status === 503 ? answer : null;
      });
      expect(JSON.stringify(await ready.json())).toContain('database');
      expect(await world.api('GET', '/api/v1/deliveries')).toMatchObject({
        status: 503,
        body: { code: 'transient', message: 'the database does not answer: try again in a moment' },
      });
    } finally {
      // Cuts the hanging connections, as the system would do later.
      gate.shut();
      gate.open();
    }
    await until('the database', async () => ((await world.deliver(body)) === 200 ? true : null), 20_000);
    await until(
      'readiness',
      async () => ((await fetch(`${world.url}/health/ready`)).ok ? true : null),
      20_000,
    );
  });
});
