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
  world = await World.open({ settings: { server: { tokens } } });
  await world.startHere();
}, 120_000);
afterAll(() => world.end(), 60_000);

async function call(path: string, token: string, body: object): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${world.url}/api/v1/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const rowsSchema = z.object({ items: z.array(z.looseObject({ what: z.string(), outcome: z.string() })) });
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
    expect(await call('write-backs/approve', REVIEWER, { ids: ['the-real-one'], ...forged })).toBe(400);
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
    expect(await call('write-backs/approve', REVIEWER, { ids: ['unknown'] })).toBe(200);
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
    expect(await call('write-backs/approve', VIEWER, { ids: MANY, what: 'forged' })).toBe(403);
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
    for (let count = 0; count < 3; count += 1)
      expect(await call('write-backs/approve', 'a wrong token', {})).toBe(401);
    // The answer does not wait for the row.
    await until('the row of the first', async () => (await newest())[0]?.['actor'] === 'nobody');
    expect((await new Visitor(world.url).signIn('another wrong token')).status).toBe(401);
    const nobody = { actor: 'nobody', role: null, what: 'sign-in', outcome: 'refused' };
    const rows = await newest(3);
    expect(rows).toMatchObject([{ ...nobody, via: 'dashboard' }, { ...nobody, via: 'api' }, {}]);
    expect(rows[2]?.what).not.toBe('sign-in');
    expect(JSON.stringify(rows)).not.toContain('wrong token');
  });
});
