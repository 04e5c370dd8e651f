import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { until, World } from '../../support/e2e-world.js';

const REVIEWER = 'the token of one who decides';

let world: World;
beforeAll(async () => {
  const tokens = { rene: { token: REVIEWER, role: 'reviewer' } };
  world = await World.open({ settings: { server: { tokens } } });
  await world.startHere();
}, 120_000);
afterAll(() => world.end(), 60_000);

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly isReplay: boolean;
}

async function post(path: string, key: string, body?: object, token = world.adminToken): Promise<Answer> {
  const answer = await fetch(`${world.url}/api/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const isReplay = answer.headers.get('idempotency-replayed') === 'true';
  return { status: answer.status, body: await answer.json(), isReplay };
}

async function recorded(): Promise<number> {
  return (await world.rows(`SELECT 1 FROM audit_entry WHERE what = 'sync'`)).length;
}

it('a repeated request gets the first answer, and starts nothing', async () => {
  const first = await post('stores/main/syncs', 'night-1', { full: true });
  expect(first).toMatchObject({ status: 202, isReplay: false });
  await world.endOf((first.body as { id: string }).id);
  const before = await recorded();
  expect(await post('stores/main/syncs', 'night-1', { full: true })).toEqual({ ...first, isReplay: true });
  expect(await recorded()).toBe(before);
  expect((await post('stores/main/syncs', 'night-2', { full: true })).body).not.toEqual(first.body);
});

it('a repeated request gets the first error, word for word', async () => {
  const first = await post('syncs/nobody/cancel', 'cancel-1');
  expect(first).toMatchObject({ status: 404, body: { code: 'not_found' }, isReplay: false });
  expect(await post('syncs/nobody/cancel', 'cancel-1')).toEqual({ ...first, isReplay: true });
});

it.each([
  ['another-body', 'stores/main/plans', { full: false }],
  ['another-address', 'stores/main/syncs', { full: true }],
])('a key with %s is refused', async (what, path, body) => {
  expect((await post('stores/main/plans', what, { full: true })).status).toBe(202);
  expect(await post(path, what, body)).toMatchObject({
    status: 422,
    body: { code: 'key_reused', message: expect.stringContaining('belongs to another request') },
  });
});

it('a key that no header of every program can have is refused', async () => {
  expect((await post('stores/main/plans', 'two words', {})).status).toBe(400);
  expect((await post('stores/main/plans', 'x'.repeat(256), {})).status).toBe(400);
});

it.each([
  ['in capital letters', '/API/v1/write-backs/approve'],
  ['with its host, as a proxy may send it', 'HTTP://elsewhere.example/api/v1/write-backs/approve'],
])('a key holds for an address %s too', async (key, path) => {
  const send = async (): Promise<unknown> => {
    const { hostname, port } = new URL(world.url);
    const headers = {
      authorization: `Bearer ${world.adminToken}`,
      'idempotency-key': key.replaceAll(' ', '-'),
    };
    const outgoing = request({ hostname, port, method: 'POST', path, headers }).end('{"ids":["unknown"]}');
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    answer.resume();
    return [answer.statusCode, answer.headers['idempotency-replayed']];
  };
  expect(await send()).toEqual([200, undefined]);
  expect(await send()).toEqual([200, 'true']);
  expect(
    await world.rows(
      `SELECT via FROM audit_entry WHERE what = 'write-back approve' ORDER BY id DESC LIMIT 1`,
    ),
  ).toEqual([{ via: 'api' }]);
});

it('a request whose body is nested beyond measure is refused', async () => {
  const answer = await fetch(`${world.url}/api/v1/stores/main/syncs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.adminToken}`,
      'content-type': 'application/json',
      'idempotency-key': 'deep',
    },
    body: `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  });
  expect(answer.status).toBe(400);
});

it('keys of two tokens are two keys', async () => {
  const ids = { ids: ['unknown'] };
  expect(await post('write-backs/approve', 'same', ids)).toMatchObject({ isReplay: false });
  expect(await post('write-backs/approve', 'same', ids, REVIEWER)).toMatchObject({ isReplay: false });
});

it('a token without the role gets no kept answer', async () => {
  expect(await post('stores/main/retry', 'role', {}, REVIEWER)).toMatchObject({ status: 403 });
  expect(await post('stores/main/retry', 'role', {}, REVIEWER)).toMatchObject({
    status: 403,
    isReplay: false,
  });
});

it('a request is refused while the one with its key is under way', async () => {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('LOCK TABLE sync_run IN EXCLUSIVE MODE');
    const first = post('stores/main/plans', 'slow', { full: true });
    await until('the first request has the key', async () => {
      const rows = await world.rows(`SELECT 1 FROM used_key WHERE key = 'slow'`);
      return rows.length === 1;
    });
    expect(await post('stores/main/plans', 'slow', { full: true })).toMatchObject({
      status: 409,
      body: { code: 'under_way' },
    });
    await client.query('COMMIT');
    const answer = await first;
    expect(answer).toMatchObject({ status: 202 });
    expect(await post('stores/main/plans', 'slow', { full: true })).toEqual({ ...answer, isReplay: true });
  } finally {
    await client.end();
  }
});

it('of many at once one has the effect', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post('stores/main/plans', 'many', { full: true })),
  );
  const accepted = answers.filter(({ status }) => status === 202);
  expect(new Set(accepted.map(({ body }) => (body as { id: string }).id)).size).toBe(1);
  expect(answers.filter(({ status }) => status === 409).length).toBe(8 - accepted.length);
});

it('a key is free after its day', async () => {
  const first = await post('stores/main/plans', 'old', { full: true });
  await world.rows(`UPDATE used_key SET until = now() WHERE key = 'old'`);
  expect(await post('stores/main/plans', 'old', { full: true })).toMatchObject({
    status: 202,
    isReplay: false,
  });
  expect(first.status).toBe(202);
});
