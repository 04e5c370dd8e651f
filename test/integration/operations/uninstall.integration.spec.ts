import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Connections } from '../../../src/connections/connections.js';
import { connectorFindings } from '../../../src/operations/connector-findings.js';
import type { TestStore } from '../../support/sandbox/test-store.js';
import { Uninstalls } from '../../../src/schedule/uninstalls.js';
import { until, World } from '../../support/e2e-world.js';
import { installable, installApp, sendEvent, SHOP, startMerchantStore } from '../../support/install-flow.js';
import type { DaemonHere } from '../../support/world/daemon-here.js';

const KEY = randomBytes(32).toString('hex');

let world: World;
let store: TestStore;
let daemon: DaemonHere;

beforeAll(async () => {
  world = await World.open();
  store = await startMerchantStore();
  await configure();
  daemon = await world.startHere();
});
afterAll(async () => {
  await world.end();
  await store.stop();
});

async function configure(server = {}): Promise<void> {
  await world.configure(installable(store, { encryptionKey: KEY, ...server }));
}

async function install(): Promise<void> {
  expect(await installApp(world.url)).toBe(200);
}

const rowSchema = z.object({
  access_token: z.string().nullable(),
  refresh_token: z.string().nullable(),
  uninstalled_at: z.date().nullable(),
  uninstall_ask_at: z.date().nullable(),
});
async function row(): Promise<z.infer<typeof rowSchema>> {
  const [found] = await world.rows('SELECT * FROM store_installation WHERE shop = $1', [SHOP]);
  return rowSchema.parse(found);
}
const connector = () => daemon.daemon.get(Connections).store('merchant').connector;
const status = async (): Promise<string> => JSON.stringify(await world.api('GET', '/api/v1/status'));
/** The bodies of the uninstall events so far. */
const uninstallBodies: string[] = [];

/** The store has been asked about the uninstall events that came in; the daemon asks by itself, too. */
async function asked(): Promise<void> {
  await daemon.daemon.get(Uninstalls).pass();
  await until('the answer of the store', async () => (await row()).uninstall_ask_at === null || null);
}

async function uninstall(): Promise<void> {
  uninstallBodies.push(store.uninstall());
  await store.idle();
  await asked();
}

describe('the uninstall event', () => {
  it('forgets the tokens and pauses the store, until the app is installed again', async () => {
    await install();
    await uninstall();
    const gone = await row();
    expect([gone.access_token, gone.refresh_token]).toEqual([null, null]);
    expect(gone.uninstalled_at).not.toBeNull();
    expect(
      await world.rows('SELECT actor, via, what, targets, outcome FROM audit_entry ORDER BY id DESC LIMIT 1'),
    ).toEqual([{ actor: SHOP, via: 'store', what: 'uninstall', targets: ['merchant'], outcome: 'done' }]);
    await until('the pause', async () =>
      (await status()).includes('the merchant uninstalled the app') ? true : null,
    );
    await install();
    expect((await connectorFindings(connector())).filter(({ level }) => level === 'fail')).toEqual([]);
  });

  it('forgets nothing when somebody replays it, or puts its topic on the body of another event', async () => {
    await install();
    const [sent = ''] = uninstallBodies;
    for (const body of [sent, '{"id":1,"admin_graphql_api_id":"gid://shopify/Product/1"}'])
      expect((await sendEvent(world.url, body, 'app/uninstalled')).status).toBe(200);
    await asked();
    expect((await row()).access_token).not.toBeNull();
  });

  it.each([
    ['ten minutes ago', -600_000],
    ['in the future', 600_000],
    ['never', null],
  ])('forgets nothing when it comes late, after the app was installed again, dated %s', async (when, ms) => {
    await install();
    const [sent = ''] = uninstallBodies;
    // A body that was never received, as the retry of a lost event has it.
    const body = JSON.stringify({ ...(JSON.parse(sent) as object), retried: when });
    const dated: Record<string, string> =
      ms === null ? {} : { 'x-shopify-triggered-at': new Date(Date.now() + ms).toISOString() };
    expect((await sendEvent(world.url, body, 'app/uninstalled', dated)).status).toBe(200);
    await asked();
    expect((await row()).access_token).not.toBeNull();
  });

  it('forgets the tokens once more when the app is uninstalled a second time, with the same body', async () => {
    await install();
    await uninstall();
    expect((await row()).access_token).toBeNull();
    await install();
    await uninstall();
    expect(new Set(uninstallBodies).size).toBe(1);
    expect((await row()).access_token).toBeNull();
    await install();
  });

  it('keeps the tokens of a store that cannot be asked, pauses it, and asks again later', async () => {
    await install();
    const [sent = ''] = uninstallBodies;
    // A frozen shop answers nothing about its installation. The daemon may probe it as well.
    store.failNext(402, { count: 50 });
    await sendEvent(world.url, sent, 'app/uninstalled');
    await until('the question', async () => {
      await daemon.daemon.get(Uninstalls).pass();
      return (await status()).includes('cannot be asked') || null;
    });
    const kept = await row();
    expect(kept.access_token).not.toBeNull();
    expect(kept.uninstall_ask_at?.getTime()).toBeGreaterThan(Date.now());
    store.clearFaults();
    uninstallBodies.push(store.uninstall());
    await store.idle();
    await world.rows('UPDATE store_installation SET uninstall_ask_at = now()');
    await asked();
    expect((await row()).access_token).toBeNull();
    await install();
  });
});

describe('a process that only receives', () => {
  it('leaves the answer to the processes that work', async () => {
    await install();
    await daemon.stop();
    await configure({ roles: ['receive'] });
    daemon = await world.startHere();
    uninstallBodies.push(store.uninstall());
    await store.idle();
    const told = await row();
    expect([told.access_token, told.uninstall_ask_at]).not.toContain(null);
    await daemon.stop();
    await configure();
    daemon = await world.startHere();
    await asked();
    expect((await row()).access_token).toBeNull();
  });
});
