import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installable, SHOP, startMerchantStore } from '../../support/install-flow.js';
import type { TestStore } from '../../support/sandbox/test-store.js';
import type { Program } from '../../support/e2e-program.js';
import { until, World } from '../../support/e2e-world.js';
import { runLine } from '../../support/run-command.js';
import { Visitor } from '../dashboard/dashboard-world.js';

const APP = {
  clientId: 'app-of-the-canary',
  clientSecret: `client-canary-${randomBytes(12).toString('hex')}`,
};
const KEY = randomBytes(32).toString('hex');

let world: World;
let store: TestStore;
let daemon: Program;
/** Every page and answer that somebody got. */
const answers: string[] = [];
/** The output of `store-sync check`, before and after the merchant uninstalls the app. */
const checks: string[] = [];
/** The dashboard's page of the check at these times, without markup. */
const checkPages: string[] = [];
/** Texts that nobody may find afterwards; the sandbox store begins its tokens with these two. */
const secrets: string[] = ['shpat_', 'shprt_', APP.clientSecret, KEY];

/** The whole way: two installations, refused callbacks, a run, a renewal that is refused, and the end of the app. */
beforeAll(async () => {
  // An operator's own server sorts texts as its language does.
  world = await World.open({ database: { collation: 'en-US' } });
  const { CATALOG_API_TOKEN = '' } = world.env;
  const { password } = new URL(world.databaseUrl);
  secrets.push(world.adminToken, world.webhookSecret, CATALOG_API_TOKEN, password);
  store = await startMerchantStore({
    ...APP,
    offlineLifetimeSeconds: 1,
    redirectUrls: [`${world.url}/shopify/callback`],
  });
  store.products.create({ title: 'Plain', handle: 'plain', descriptionHtml: '<p>Plain.</p>' });
  await world.configure(installable(store, { encryptionKey: KEY }, APP));
  daemon = await world.start({ LOG_LEVEL: 'trace' });
  await install();
  const replayed = await install();
  // A callback that is used again, and one whose code the store refuses.
  await open(replayed.callback, replayed.cookie);
  await open(replayed.callback.replace(/code=[^&]*/, 'code=code-of-somebody-else'), replayed.cookie);
  expect((await world.runToEnd({ store: 'merchant' })).status).toBe('succeeded');
  // The renewal of the token, or a request, fails: its error is logged.
  store.failNext(500, { count: 2 });
  await world.runToEnd({ store: 'merchant', full: true });
  for (const path of ['status', 'syncs', 'products', 'deliveries', 'write-backs', 'audit'])
    answers.push(JSON.stringify(await world.api('GET', `/api/v1/${path}`)));
  for (const path of ['/metrics', '/docs-json'])
    answers.push(await (await fetch(`${world.url}${path}`)).text());
  checks.push((await runLine(world, ['check'])).stdout);
  checkPages.push(await checkedPage());
  store.uninstall();
  await store.idle();
  await until('the end of the tokens', async () => {
    const [row] = await world.rows('SELECT access_token FROM store_installation');
    return row?.['access_token'] === null || null;
  });
  checks.push((await runLine(world, ['check'])).stdout);
  checkPages.push(await checkedPage());
});
afterAll(async () => {
  await world.end();
  await store.stop();
});

async function checkedPage(): Promise<string> {
  const visitor = new Visitor(world.url);
  await visitor.signIn(world.adminToken);
  await visitor.submit('/check', '/check', []);
  const text = await until('the end of the check', async () => {
    const page = await visitor.get('/check');
    return page.text.includes('data-under-way') ? null : page.text;
  });
  answers.push(text);
  return text.replaceAll(/<[^<>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

async function open(url: string, cookie = '', init: RequestInit = {}): Promise<Headers> {
  const answer = await fetch(url, { redirect: 'manual', ...init, headers: { cookie } });
  answers.push(await answer.text());
  return answer.headers;
}

async function install(): Promise<{ callback: string; cookie: string }> {
  const started = await open(`${world.url}/shopify/install?shop=${SHOP}`);
  const cookie = (started.get('set-cookie') ?? '').split(';')[0] ?? '';
  const consent = new URL(started.get('location') ?? '');
  const agreed = await fetch(`${consent.origin}${consent.pathname}`, {
    ...{ method: 'POST', body: consent.searchParams, redirect: 'manual' },
  });
  const callback = agreed.headers.get('location') ?? '';
  secrets.push(new URL(callback).searchParams.get('code') ?? 'no code');
  await open(callback, cookie);
  return { callback, cookie };
}

const shown = (text: string): string[] => secrets.filter((secret) => text.includes(secret));

describe('the code, the tokens and the keys of an installation, and the secrets of the program', () => {
  it('were in use, so that their absence means something', () => {
    expect(secrets).toHaveLength(10);
    expect(secrets.every((secret) => secret.length > 5 && secret !== 'no code')).toBe(true);
    const used = JSON.stringify(store.requests);
    expect(used).toContain('"status":200');
  });

  it('are in no line of the log, whatever its level', () => {
    const log = [...daemon.lines, daemon.stderr].join('\n');
    expect(log).toContain('"stage":"install"');
    expect(shown(log)).toEqual([]);
  });

  it('are in no answer, page, metric and output of a command', () => {
    expect(answers.length).toBeGreaterThan(10);
    expect(shown([...answers, ...checks].join('\n'))).toEqual([]);
  });

  it('are in no row of the database, jobs included', async () => {
    const dump = await world.tableDump();
    expect(dump).toContain(SHOP);
    expect(shown(dump)).toEqual([]);
    // Bytes are shown as hexadecimal digits.
    const digits = secrets.map((secret) => Buffer.from(secret).toString('hex'));
    expect(digits.filter((hex) => dump.includes(hex))).toEqual([]);
  });
});

describe('store-sync check', () => {
  it('asks an installed store for its access and scopes, and names its state', () => {
    expect(checks[0]).toMatch(
      /ok +store merchant: installation: merchant\.myshopify\.com was installed by its/,
    );
    expect(checks[0]).toMatch(/ok +store merchant: scopes: /);
    expect(checks[0]).not.toContain('store merchant: pause');
    expect(checkPages[0]).toContain('store merchant: installation');
    expect(checkPages[0]).toContain('store merchant: scopes');
  });

  it('names a store whose merchant uninstalled the app, and does not ask it', () => {
    expect(checks[1]).toMatch(
      /warn +store merchant: installation: the merchant of merchant\.myshopify\.com uninstalled/,
    );
    expect(checks[1]).toMatch(
      /warn +store merchant: pause: paused since .*: the merchant uninstalled the app/,
    );
    expect(checks[1]).not.toContain('store merchant: scopes');
    expect(checkPages[1]).toContain('the merchant of merchant.myshopify.com uninstalled');
    expect(checkPages[1]).not.toContain('store merchant: scopes');
  });
});
