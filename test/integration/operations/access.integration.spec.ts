import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Visitor } from '../../e2e/dashboard/dashboard-world.js';
import { until, World } from '../../support/e2e-world.js';

const VIEWER = 'the token of one who reads';
const REVIEWER = 'the token of one who decides';
const MANY = Array.from({ length: 1000 }, (_, number) => `forged-${String(number)}`);

let world: World;
beforeAll(async () => {
  const tokens = { vera: { token: VIEWER, role: 'viewer' }, rene: { token: REVIEWER, role: 'reviewer' } };
  world = await World.open({ settings: { server: { tokens, trustedProxies: 1 } } });
  await world.startHere();
}, 120_000);
afterAll(() => world.end(), 60_000);

async function call(method: string, path: string, token: string, body?: object): Promise<Response> {
  return fetch(`${world.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** Makes attempts with so many unknown tokens, and waits for their rows, which come after the answers. */
async function withRowsOfNobody(count: number, attempt: () => Promise<void>): Promise<void> {
  const rows = async () => (await world.rows(`SELECT 1 FROM audit_entry WHERE actor = 'nobody'`)).length;
  const before = await rows();
  await attempt();
  await until('the rows of the attempts', async () => (await rows()) === before + count);
}

describe('the API', () => {
  it.each([
    ['a viewer', VIEWER, [200, 403, 403]],
    ['a reviewer', REVIEWER, [200, 200, 403]],
  ])('lets %s do what the role allows', async (_who, token, expected) => {
    const statuses = [
      (await call('GET', '/api/v1/status', token)).status,
      (await call('POST', '/api/v1/write-backs/approve', token, { ids: ['none'] })).status,
      (await call('POST', '/api/v1/stores/main/retry', token)).status,
    ];
    expect(statuses).toEqual(expected);
  });

  it('reads a body whatever its content type says, so that none is passed over', async () => {
    const headers = {
      authorization: `Bearer ${world.adminToken}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    const post = (path: string, body: string): Promise<Response> =>
      fetch(`${world.url}/api/v1/${path}`, { method: 'POST', headers, body });
    expect((await post('webhook/remove', '{"workspace":"another"}')).status).toBe(404);
    expect((await post('webhook/remove', 'workspace=another')).status).toBe(400);
  });

  it('names who applied a plan as the one who asked for its run', async () => {
    world.store.products.create({ title: 'anvil', handle: 'anvil', vendor: 'Forge' });
    const { body } = await world.api('POST', '/api/v1/stores/main/plans', { full: true });
    const { id } = body as { id: string };
    await until('the plan', async () => {
      const { body: plan } = await world.api('GET', `/api/v1/plans/${id}`);
      return (plan as { state: string }).state === 'saved' ? plan : null;
    });
    expect((await world.api('POST', `/api/v1/plans/${id}/apply`, {})).status).toBe(202);
    const run = await world.api('GET', `/api/v1/syncs/${id}`);
    expect(run.body).toMatchObject({ trigger: 'api', requestedBy: 'admin' });
  });

  it.each<[string, object, object]>([
    ['stores/main/syncs', { full: true }, { what: 'sync', targets: ['main'], details: { full: ['true'] } }],
    ['syncs/none/cancel', {}, { what: 'sync cancel', targets: ['none'], outcome: 'failed' }],
    ['syncs/none/retry', {}, { what: 'sync retry', targets: ['none'], outcome: 'failed' }],
    ['stores/main/generate', { ids: ['x'] }, { what: 'generate', targets: ['main', 'x'] }],
    ['stores/main/retry', {}, { what: 'store retry', targets: ['main'], outcome: 'done' }],
    ['stores/main/plans', {}, { what: 'plan save', targets: ['main'], outcome: 'done' }],
    ['plans/none/apply', {}, { what: 'plan apply', targets: ['none'], outcome: 'failed' }],
    ['deliveries/none/replay', {}, { what: 'delivery replay', targets: ['none'] }],
    ['deliveries/replay', { ids: ['a', 'b'] }, { what: 'delivery replay', targets: ['a', 'b'] }],
    ['write-backs/approve', { ids: ['a'] }, { what: 'write-back approve', targets: ['a'] }],
    ['write-backs/reject', { ids: ['a'] }, { what: 'write-back reject', targets: ['a'] }],
    ['write-backs/revert', { ids: ['a'] }, { what: 'write-back revert', targets: ['a'] }],
    ['webhook/register', { force: true }, { what: 'webhook register', details: { force: ['true'] } }],
    ['webhook/remove', {}, { what: 'webhook remove', outcome: 'done' }],
  ])('records POST %s with actor, address, time and targets', async (path, body, expected) => {
    const began = Date.now();
    await call('POST', `/api/v1/${path}`, world.adminToken, body);
    const answer = await call('GET', '/api/v1/audit?limit=1', VIEWER);
    const { items } = (await answer.json()) as { items: { at: string }[] };
    expect(items).toEqual([
      expect.objectContaining({
        ...{ actor: 'admin', role: 'admin', via: 'api', address: expect.stringContaining('127.0.0.1') },
        ...expected,
      }),
    ]);
    expect(Math.abs(Date.parse(items[0]?.at ?? '') - began)).toBeLessThan(60_000);
  });

  it('gives errors a code for programs, the id of the request, and what to do', async () => {
    const missing = await call('GET', '/api/v1/syncs/none', VIEWER);
    expect([missing.status, await missing.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'not_found', requestId: missing.headers.get('x-request-id') }),
    ]);
    const weak = await call('POST', '/api/v1/stores/main/retry', VIEWER);
    expect(await weak.json()).toMatchObject({ statusCode: 403, code: 'forbidden' });
    const unknown = await call('GET', '/api/v1/status', '');
    expect(unknown.headers.get('www-authenticate')).toBe('Bearer realm="store-sync"');
    expect(await unknown.json()).toMatchObject({ statusCode: 401, code: 'unauthenticated' });
    const odd = await call('POST', '/api/v1/write-backs/approve', REVIEWER, {});
    expect(await odd.json()).toMatchObject({ code: 'invalid', details: [{ path: 'ids' }] });
  });

  it('forbids caches to store answers, and browsers to guess their type', async () => {
    const { headers } = await call('GET', '/api/v1/status', VIEWER);
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual([
      'no-store',
      'nosniff',
    ]);
  });

  it('asks for the token before it reads the body, and counts wrong ones', async () => {
    const refused = async () => {
      const metrics = await (await fetch(`${world.url}/metrics`)).text();
      return Number(/access_refused_total\{via="api",reason="wrong_token"\} (\d+)/.exec(metrics)?.[1]);
    };
    const before = await refused();
    await withRowsOfNobody(1, async () => {
      const answer = await fetch(`${world.url}/api/v1/deliveries/replay`, {
        method: 'POST',
        headers: { authorization: 'Bearer wrong', 'content-type': 'application/json' },
        body: '{'.repeat(1000),
      });
      expect(answer.status).toBe(401);
    });
    expect(await refused()).toBe(before + 1);
  });
});

describe('the check, which names weak secrets', () => {
  it('is for those alone who have the role for it, also by the id of its report', async () => {
    const admin = new Visitor(world.url);
    expect((await admin.signIn(world.adminToken)).status).toBe(303);
    expect((await admin.submit('/check', '/check', [])).status).toBe(303);
    const [report] = await world.rows<{ id: string }>(`SELECT id FROM report WHERE kind = 'check'`);
    const viewer = new Visitor(world.url);
    expect((await viewer.signIn(VIEWER)).status).toBe(303);
    expect((await viewer.get('/check')).status).toBe(403);
    const byId = await viewer.get(`/reports/${report!.id}`);
    expect([byId.status, byId.headers.get('location')]).toEqual([303, '/check']);
  });
});

const rowsSchema = z.object({ items: z.array(z.looseObject({ what: z.string(), outcome: z.string() })) });
async function change(path: string, token: string, body: object): Promise<number> {
  return (await call('POST', `/api/v1/${path}`, token, body)).status;
}

async function newest(count = 1): Promise<z.output<typeof rowsSchema>['items']> {
  const { body } = await world.api('GET', `/api/v1/audit?limit=${String(count)}`);
  return rowsSchema.parse(body).items;
}

async function reviewer(): Promise<Visitor> {
  const visitor = new Visitor(world.url);
  expect((await visitor.signIn(REVIEWER)).status).toBe(303);
  return visitor;
}

describe('the row of a change', () => {
  it('by a form names the decision, whatever other fields the form has', async () => {
    const visitor = await reviewer();
    await visitor.submit('/', '/review', [
      ...MANY.flatMap((text): [string, string][] => [['key', text]]),
      ...(['ids', 'workspace', 'force', 'filter', 'what'] as const).map((name): [string, string] => [
        name,
        'forged',
      ]),
      ['decision', 'approve'],
      ['id', 'the-real-one'],
    ]);
    const [row] = await newest();
    expect(row).toMatchObject({ actor: 'rene', via: 'dashboard', what: 'write-back approve' });
    expect(row).toMatchObject({ targets: ['the-real-one'], details: {} });
  });

  it('by a request that is refused for its fields has none of them', async () => {
    const forged = { key: MANY, workspace: 'forged', force: true, reason: 'forged' };
    expect(await change('write-backs/approve', REVIEWER, { ids: ['the-real-one'], ...forged })).toBe(400);
    const [row] = await newest();
    expect(row).toMatchObject({ what: 'write-back approve', outcome: 'failed', targets: [], details: {} });
  });

  it('of a bulk change by a form has the filter', async () => {
    const visitor = await reviewer();
    await visitor.submit('/', '/bulk', [
      ['action', 'reject'],
      ['store', 'main'],
      ['state', 'pending_review'],
      ['until', new Date().toISOString()],
    ]);
    expect(await newest()).toMatchObject([
      { what: 'write-back bulk reject', details: { store: ['main'], state: ['pending_review'] } },
    ]);
  });

  it('that changed nothing says so', async () => {
    expect(await change('write-backs/approve', REVIEWER, { ids: ['unknown'] })).toBe(200);
    expect(await newest()).toMatchObject([{ targets: ['unknown'], outcome: 'failed' }]);
  });
});

describe('a row is left by', () => {
  it('a sign-in and a sign-out', async () => {
    const visitor = await reviewer();
    await visitor.submit('/', '/logout', []);
    const who = { actor: 'rene', role: 'reviewer', via: 'dashboard', outcome: 'done', targets: [] };
    expect(await newest(2)).toMatchObject([
      { what: 'sign-out', ...who, address: expect.stringContaining('127.0.0.1') },
      { what: 'sign-in', ...who },
    ]);
  });

  it('a role that does not suffice, by API and by form, with nothing of the body', async () => {
    expect(await change('write-backs/approve', VIEWER, { ids: MANY, what: 'forged' })).toBe(403);
    const refused = { actor: 'vera', role: 'viewer', outcome: 'refused', what: 'write-back approve' };
    expect(await newest()).toMatchObject([{ ...refused, via: 'api', targets: [], details: {} }]);
    const visitor = new Visitor(world.url);
    await visitor.signIn(VIEWER);
    await visitor.submit('/', '/write-backs/one/decide', [['decision', 'reject']]);
    expect(await newest()).toMatchObject([
      { ...refused, via: 'dashboard', what: 'write-back', targets: ['one'], details: {} },
    ]);
  });

  it('a wrong token, once however often it is repeated, and never with the token', async () => {
    await withRowsOfNobody(1, async () => {
      for (let count = 0; count < 3; count += 1)
        expect(await change('write-backs/approve', 'a wrong token', {})).toBe(401);
    });
    await withRowsOfNobody(1, async () => {
      expect((await new Visitor(world.url).signIn('another wrong token')).status).toBe(401);
    });
    const nobody = { actor: 'nobody', role: null, what: 'sign-in', outcome: 'refused' };
    const rows = await newest(2);
    expect(rows).toMatchObject([
      { ...nobody, via: 'dashboard' },
      { ...nobody, via: 'api' },
    ]);
    expect(JSON.stringify(rows)).not.toContain('wrong token');
  });
});

describe('guesses', () => {
  it('of tokens by the API slow the sign-in of the same address too', async () => {
    const from = { 'x-forwarded-for': '203.0.113.7' };
    await withRowsOfNobody(5, async () => {
      for (let count = 0; count < 5; count += 1) {
        const authorization = `Bearer wrong ${String(count)}`;
        await fetch(`${world.url}/api/v1/status`, { headers: { ...from, authorization } });
      }
    });
    const answer = await fetch(`${world.url}/login`, {
      method: 'POST',
      headers: from,
      body: new URLSearchParams({ token: 'wrong' }),
    });
    expect(answer.status).toBe(429);
  });
});
