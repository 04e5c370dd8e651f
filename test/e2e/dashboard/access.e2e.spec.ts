import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pagePolicy } from '../../../src/dashboard/security-headers.js';
import { Visitor, type Answer } from './dashboard-world.js';
import { World } from '../../support/e2e-world.js';

const PAGES = ['/', '/runs', '/products', '/deliveries', '/review', '/journal'];
/** One of those that `Form` makes, and the one that stands alone: routes-roles.spec.ts looks at the guards of all. */
const FORMS = ['/stores/main/sync', '/logout'];

let world: World;
let token: string;

beforeAll(async () => {
  world = await World.open({ settings: { server: { trustedProxies: 1 } } });
  await world.startHere({ quiet: false });
  token = world.adminToken;
});
afterAll(() => world.end());

async function signedIn(): Promise<Visitor> {
  const visitor = new Visitor(world.url);
  expect((await visitor.signIn(token)).status).toBe(303);
  return visitor;
}

describe('a browser that is not signed in', () => {
  it.each(PAGES)('is sent from %s to the sign-in', async (path) => {
    const answer = await new Visitor(world.url).get(path);
    expect(answer.status).toBe(303);
    const next = path === '/' ? '' : `?next=${encodeURIComponent(path)}`;
    expect(answer.headers.get('location')).toBe(`/login${next}`);
    expect(answer.text).not.toContain('main.myshopify.com');
  });

  it('is sent from an overlong address to the sign-in without it, as clients refuse long headers', async () => {
    const answer = await new Visitor(world.url).get(`/write-backs/1?back=${'%0A'.repeat(3000)}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/login']);
  });

  it.each(FORMS)('changes nothing by %s', async (path) => {
    const answer = await new Visitor(world.url).post(path, [], { 'sec-fetch-site': 'same-origin' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/login']);
  });

  it.each([
    ['one that was made up', 'x'],
    ['one that never ends, signed by somebody else', `99999999999999.${'a'.repeat(24)}.${'b'.repeat(43)}`],
  ])('gets nothing for a session: %s', async (_name, cookie) => {
    const answer = await new Visitor(world.url).get('/', { cookie: `store_sync_session=${cookie}` });
    expect(answer.status).toBe(303);
  });
});

describe('the sign-in', () => {
  it('gives a cookie that scripts and other sites do not get, and that ends', async () => {
    const answer = await new Visitor(world.url).signIn(token);
    const cookie = answer.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(token);
  });

  it('marks the cookie as secure when the browser came by https', async () => {
    const answer = await new Visitor(world.url).post('/login', [['token', token]], {
      'x-forwarded-proto': 'https',
    });
    expect(answer.headers.get('set-cookie')).toMatch(/; Secure$/);
  });

  it.each([
    ['/review?offset=50', '/review?offset=50'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example/', '/'],
    ['javascript:alert(1)', '/'],
    [`/${'%0A'.repeat(3000)}`, '/'],
  ])('leads on to %.30s as %s', async (next, location) => {
    const answer = await new Visitor(world.url).post('/login', [
      ['token', token],
      ['next', next],
    ]);
    expect(answer.headers.get('location')).toBe(location);
  });

  it('ends with signing out', async () => {
    const visitor = await signedIn();
    await visitor.submit('/', '/logout', []);
    expect((await visitor.get('/')).status).toBe(303);
  });
});

describe('a form', () => {
  it.each(FORMS)('%s is refused unless it came from a page of this host', async (path) => {
    const visitor = await signedIn();
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of foreign) expect((await visitor.post(path, [], headers)).status).toBe(403);
  });

  it('asks for a run from a page of this host', async () => {
    const visitor = await signedIn();
    const answer = await visitor.submit('/', '/stores/main/sync', [['kind', 'full']]);
    expect(answer.status).toBe(303);
    const run = answer.headers.get('location') ?? '';
    expect(run).toMatch(/^\/runs\/[0-9a-f-]{36}$/);
    await world.endOf(run.slice('/runs/'.length));
    const page = await visitor.get(run);
    expect(page.text).toContain('The run was requested.');
    expect((await visitor.get(run)).text).not.toContain('The run was requested.');
  });

  it('cannot be made to show a text that this program did not write', async () => {
    const visitor = await signedIn();
    visitor.cookies.set('store_sync_notice', `${Buffer.from('pay at evil.example').toString('base64url')}.x`);
    expect((await visitor.get('/')).text).not.toContain('evil.example');
  });
});

describe('every page', () => {
  it.each(PAGES)('%s forbids what it does not need', async (path) => {
    const { status, headers, text } = await (await signedIn()).get(path);
    expect(status).toBe(200);
    const policy = pagePolicy(['https://cdn.shopify.com', new URL(world.store.url).origin].sort());
    expect(headers.get('content-security-policy')).toBe(policy);
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(text).not.toMatch(/\sstyle=|<style|\son[a-z]+=|<script>|(?:src|href|action)="(?:https?:)?\/\//);
  });

  it('holds no secret', async () => {
    const visitor = await signedIn();
    const secrets = Object.entries(world.env).filter(([name]) => name !== 'STORE_SYNC_CONFIG');
    for (const path of PAGES) {
      const { text } = await visitor.get(path);
      for (const [, secret] of secrets) expect(text).not.toContain(secret);
    }
  });

  it('names its style sheet and script by their content, to be kept forever', async () => {
    const { text } = await new Visitor(world.url).get('/login');
    const paths = [...text.matchAll(/"(\/assets\/dashboard\.[0-9a-f]{12}\.(?:css|js))"/g)].map(
      ([, path]) => path!,
    );
    expect(paths).toHaveLength(2);
    for (const path of paths) {
      const { status, headers } = await new Visitor(world.url).get(path);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
    expect((await new Visitor(world.url).get('/assets/..%2fassets.js')).status).toBe(404);
  });
});

// Each guesses from an address of its own: the sign-in is slow for that address afterwards.
describe('guessing', () => {
  it.each([
    ['no token', '', '203.0.113.1'],
    ['a wrong token', 'wrong', '203.0.113.2'],
    ['the token and more', 'TOKEN-and-more', '203.0.113.3'],
  ])('does not get in with %s', async (_name, given, address) => {
    const visitor = new Visitor(world.url);
    const answer = await guess(visitor, address, given.replace('TOKEN', token));
    expect(answer.status).toBe(401);
    expect(visitor.cookies.size).toBe(0);
    expect(answer.text).not.toContain(token);
  });

  it('is slowed, the right token too', async () => {
    const visitor = new Visitor(world.url);
    for (const given of ['one', 'two', 'three']) await guess(visitor, '203.0.113.4', given);
    const { status, headers } = await guess(visitor, '203.0.113.4', token);
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(visitor.cookies.size).toBe(0);
  });

  function guess(visitor: Visitor, address: string, given: string): Promise<Answer> {
    return visitor.post('/login', [['token', given]], { 'x-forwarded-for': address });
  }
});

describe('without an admin token', () => {
  let url: string;
  beforeAll(async () => {
    [, url = ''] = world.replicas;
    await world.configure({ server: { adminToken: '', port: Number(new URL(url).port) } });
    await world.startHere();
  });

  it.each(['/', '/login', '/review'])('%s answers 404 like the API', async (path) => {
    const { status, text } = await new Visitor(url).get(path);
    expect([status, JSON.parse(text)]).toEqual([
      404,
      expect.objectContaining({ statusCode: 404, error: 'Not Found' }),
    ]);
  });

  it('nobody signs in, not even with an empty token', async () => {
    expect((await new Visitor(url).post('/login', [['token', '']])).status).toBe(404);
  });
});
