import fs from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { AccessThrottle } from '../../../src/api/access-throttle.js';
import { SignInLinks } from '../../../src/dashboard/sign-in-links.js';
import { SignOuts } from '../../../src/operations/sign-outs.js';
import { Visitor } from '../../e2e/dashboard/dashboard-world.js';
import { World } from '../../support/e2e-world.js';
import { runCommand } from '../../support/run-command.js';
import type { DaemonHere } from '../../support/world/daemon-here.js';

let world: World;
let here: DaemonHere;
let written = '';
beforeAll(async () => {
  // The log writes to its file descriptor itself.
  jest.spyOn(fs, 'writeSync').mockImplementation((_file: number, data: unknown) => {
    written += String(data);
    return Buffer.byteLength(String(data));
  });
  world = await World.open({});
  here = await world.startHere({ quiet: false });
}, 120_000);
afterAll(async () => {
  jest.restoreAllMocks();
  await world.end();
}, 60_000);
// Each test begins without wrong attempts of the one before.
beforeEach(() => {
  here.daemon.get(AccessThrottle).succeeded('127.0.0.1', 'admin');
  here.daemon.get(AccessThrottle).succeeded('::ffff:127.0.0.1', 'admin');
});

function newLink(): string {
  return here.daemon.get(SignInLinks).pathFor('admin')?.split('link=')[1] ?? '';
}

async function post(link: string): Promise<[number, Visitor]> {
  const visitor = new Visitor(world.url);
  return [(await visitor.post('/sign-in', [['link', link]])).status, visitor];
}

it('signs in once, and looking at it does not use it up', async () => {
  const link = newLink();
  for (const _look of [1, 2]) {
    const { status, text } = await new Visitor(world.url).get(`/sign-in?link=${link}`);
    expect([status, text]).toEqual([200, expect.stringContaining(`value="${link}"`)]);
  }
  const [status, visitor] = await post(link);
  expect([status, (await visitor.get('/')).status]).toEqual([303, 200]);
  const [again, stranger] = await post(link);
  expect([again, (await stranger.get('/')).status]).toEqual([401, 303]);
});

it('is printed by a command, for whoever may read the configuration', async () => {
  const { status, stdout } = await runCommand(world, 'dashboard', []);
  const [, address, link = ''] = /^(http:\S+)\/sign-in\?link=(\S+)\n$/.exec(stdout) ?? [];
  expect([status, address]).toEqual([0, world.url]);
  expect((await post(link))[0]).toBe(303);
});

it('of several uses at once one signs in', async () => {
  const link = newLink();
  const uses = await Promise.all([1, 2, 3].map(() => post(link)));
  expect(uses.map(([status]) => status).toSorted()).toEqual([303, 401, 401]);
});

it('is refused when a part of it was changed', async () => {
  const [name = '', until = '', id = '', code = ''] = newLink().split('.');
  const turned = (text: string): string => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
  const links = [
    [name, String(Number(until) + 1), id, code],
    [name, until, turned(id), code],
    [name, until, id, turned(code)],
    ['nobody', until, id, code],
    [name, until, id, code, ''],
  ].map((parts) => parts.join('.'));
  const made = here.daemon.get(SignInLinks);
  for (const link of ['', 'x', ...links]) expect(await made.use(link)).toBeNull();
  expect((await post(links[0] ?? ''))[0]).toBe(401);
});

it('is refused after ten minutes, and under another token', async () => {
  const rows = here.daemon.get(SignOuts);
  let nowMs = Date.now();
  const linksOf = (token: string) =>
    new SignInLinks({ named: (name) => ({ name, role: 'admin', token }) }, rows, {
      now: () => new Date(nowMs),
    });
  const links = linksOf('one token');
  const link = links.pathFor('admin')?.split('link=')[1] ?? '';
  expect(await linksOf('another token').use(link)).toBeNull();
  nowMs += 10 * 60_000;
  expect(await links.use(link)).toBeNull();
  nowMs -= 1;
  expect(await links.use(link)).toMatchObject({ name: 'admin' });
});

it('is in no log and no row', async () => {
  const link = newLink();
  await new Visitor(world.url).get(`/sign-in?link=${link}`);
  await post(link);
  await post(link);
  const parts = link.split('.').slice(2);
  const dump = await world.tableDump();
  for (const part of parts) {
    expect(written).not.toContain(part);
    expect(dump).not.toContain(part);
  }
  expect(written).toContain('a sign-in with a wrong token was refused');
});
