import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { AccessTokens } from '../api/access.js';
import { SignOuts } from '../operations/sign-outs.js';
import { isOwnForm } from './session.guard.js';
import { cookieName } from '../api/cookies.js';
import { IDLE_SECONDS, SESSION_SECONDS, Sessions, setCookie } from './session.js';

const START = Date.parse('2026-11-21T08:00:00Z');
const ADMIN = { name: 'admin' };

function world(adminToken = 'the admin token of the tests', publicUrl?: string, adminPort = 0) {
  const clock = { seconds: 0, now: () => new Date(START + clock.seconds * 1000) };
  const revoked = new Map<string, Date>();
  const rows = {
    use: async (id: string, until: Date) => {
      revoked.set(id, until);
      return Promise.resolve(true);
    },
    isUsed: async (id: string) => Promise.resolve(revoked.has(id)),
  };
  const tokens = new AccessTokens({
    server: { adminToken, tokens: { ann: { token: 'the token of one reviewer', role: 'reviewer' } } },
  });
  return {
    clock,
    revoked,
    sessions: new Sessions(tokens, new SignOuts(rows), clock, {
      server: { publicUrl, admin: { port: adminPort } },
    }),
  };
}

describe('a session', () => {
  it('lasts twelve hours and no longer, however much it is used', async () => {
    const { clock, sessions } = world();
    let cookie = await sessions.issue(ADMIN);
    for (; clock.seconds < SESSION_SECONDS - 1; clock.seconds += 1800) {
      const session = await sessions.read(cookie);
      expect(session).not.toBeNull();
      cookie = (session && (await sessions.renewed(session))) ?? cookie;
    }
    clock.seconds = SESSION_SECONDS;
    expect(await sessions.read(cookie)).toBeNull();
  });

  it.each([
    ['of signs of three bytes', '漢'],
    ['of quotes', '"'],
    ['of emoji', '🤔'],
  ])('keeps a long notice %s within what browsers take for a cookie', async (_what, sign) => {
    const { sessions } = world();
    const session = await sessions.read(await sessions.issue(ADMIN));
    const cookie = await sessions.notice(session!, sign.repeat(2000));
    expect(cookie.length).toBeLessThan(4000);
    const text = (await sessions.readNotice(session!, cookie)) ?? '';
    expect(text.length).toBeGreaterThan(300);
    expect(text.isWellFormed()).toBe(true);
  });

  it.each([
    ['a form by plain http', { origin: 'null' }, 'https://sync.example.com'],
    [
      'a form by plain http that names its origin',
      { origin: 'http://10.0.0.5:3000' },
      'https://sync.example.com',
    ],
    ['a form by https', { origin: 'https://sync.example.com', 'sec-fetch-site': 'same-origin' }, null],
    ['a form from this machine', { origin: 'null', 'sec-fetch-site': 'same-origin' }, null],
    ['a form by a proxy that ends https', { origin: 'null', 'x-forwarded-proto': 'https' }, null],
    ['a script', {}, null],
  ])('of an https dashboard is lost over plain http: %s', (_what, headers, address) => {
    const { sessions } = world(undefined, 'https://sync.example.com');
    expect(sessions.keptOnlyAt({ headers, secure: false })).toBe(address);
    expect(world().sessions.keptOnlyAt({ headers, secure: false })).toBeNull();
  });

  it('that is not used ends after an hour', async () => {
    const { clock, sessions } = world();
    const cookie = await sessions.issue(ADMIN);
    clock.seconds = IDLE_SECONDS - 1;
    expect(await sessions.read(cookie)).not.toBeNull();
    clock.seconds = IDLE_SECONDS;
    expect(await sessions.read(cookie)).toBeNull();
  });

  it('ends with its sign-out, also for a copy of its cookie, and leaves no id that could be used', async () => {
    const { revoked, sessions } = world();
    const cookie = await sessions.issue(ADMIN);
    const session = await sessions.read(cookie);
    await sessions.end(session!);
    expect(await sessions.read(cookie)).toBeNull();
    expect([...revoked.keys()].join(' ')).not.toContain(session!.id);
    expect(await sessions.read(await sessions.issue(ADMIN))).not.toBeNull();
  });

  it('ends with the token that it was opened with', async () => {
    const cookie = await world().sessions.issue(ADMIN);
    expect(await world('another token of the tests').sessions.read(cookie)).toBeNull();
  });

  it('has the name and the role of its token', async () => {
    const { sessions } = world();
    expect(await sessions.read(await sessions.issue({ name: 'ann' }))).toMatchObject({
      name: 'ann',
      role: 'reviewer',
    });
  });

  it('is not read when any part of it was changed', async () => {
    const { sessions } = world();
    const cookie = await sessions.issue({ name: 'ann' });
    const [, seal = ''] = cookie.split(/\.(.*)/);
    const changed = Array.from(
      seal,
      (sign, at) => `ann.${seal.slice(0, at)}${sign === 'A' ? 'B' : 'A'}${seal.slice(at + 1)}`,
    );
    for (const other of [
      ...changed,
      `admin.${seal}`,
      seal,
      `ann.${seal.slice(1)}`,
      `ann.${'x'.repeat(300)}`,
      'ann.',
      '',
    ])
      expect(await sessions.read(other)).toBeNull();
    expect(await sessions.read(undefined)).toBeNull();
  });

  it('has notices that no other session reads', async () => {
    const { sessions } = world();
    const one = (await sessions.read(await sessions.issue(ADMIN)))!;
    const other = (await sessions.read(await sessions.issue(ADMIN)))!;
    const notice = await sessions.notice(one, 'Größe: 3 done.');
    expect(await sessions.readNotice(one, notice)).toBe('Größe: 3 done.');
    expect(await sessions.readNotice(other, notice)).toBeNull();
  });
});

describe('the session’s cookie over https', () => {
  it.each([
    ['https://sync.example.com', {}, true],
    ['http://127.0.0.1:3000', {}, false],
    [undefined, {}, false],
    [undefined, { 'x-forwarded-proto': 'https' }, true],
  ])('is secure with the public address %j and %j: %j', (publicUrl, headers, isSecure) => {
    const lines: string[] = [];
    const request = { headers, secure: false } as Request;
    const response = { append: (_name: string, line: string) => lines.push(line) } as unknown as Response;
    world('token', publicUrl).sessions.setCookie(request, response, 'session', 'v', 1);
    expect(lines.map((line) => /^__Host-.*; Secure$/.test(line))).toEqual([isSecure]);
  });

  it('goes by the connection where the dashboard has a port of its own, which the public address does not name', () => {
    const lines: string[] = [];
    const response = { append: (_name: string, line: string) => lines.push(line) } as unknown as Response;
    const { sessions } = world('token', 'https://sync.example.com', 3001);
    for (const headers of [{}, { 'x-forwarded-proto': 'https' }])
      sessions.setCookie({ headers, secure: false } as Request, response, 'session', 'v', 1);
    expect(lines.map((line) => line.includes('Secure'))).toEqual([false, true]);
  });

  it('has a name that only this host can set', () => {
    expect(cookieName('session', true)).toBe('__Host-session');
    const line = setCookie('session', 'v', { maxAgeSeconds: 1, secure: true });
    expect(line).toMatch(/^__Host-session=v; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/);
  });
});

describe('a form', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['of our page', { 'sec-fetch-site': 'same-origin' }, true],
    ['of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://sync.example.com' }, false],
    ['of another host of the site', { 'sec-fetch-site': 'same-site' }, false],
    ['of a page that names its own origin', { origin: 'https://sync.example.com' }, true],
    ['of a page that names another origin', { origin: 'https://evil.example' }, false],
    ['of a page that names another port', { origin: 'https://sync.example.com:8443' }, false],
    ['of a page without an origin', { origin: 'null' }, false],
    ['that names nothing', {}, false],
  ])('%s: %j', (_whose, headers, isOwn) => {
    expect(isOwnForm({ headers: { host: 'sync.example.com', ...headers }, secure: true })).toBe(isOwn);
  });

  it.each([
    ['another machine, where browsers name no site', '192.168.1.10:3000', true],
    ['this machine, where they do', 'localhost:3000', false],
    ['this machine by its address', '127.0.0.1:3000', false],
  ])('without an origin, by plain http to %s', (_what, host, isOwn) => {
    expect(isOwnForm({ headers: { host, origin: 'null' }, secure: false })).toBe(isOwn);
  });
});
