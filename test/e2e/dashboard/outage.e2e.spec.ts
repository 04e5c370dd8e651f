import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { fill, single } from '../../support/e2e-products.js';
import { Program } from '../../support/e2e-program.js';
import { until, World } from '../../support/e2e-world.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { startTestRedis, type TestRedis, redisAvailable } from '../../support/redis.js';
import { Visitor } from './dashboard-world.js';

const ALL = { count: Number.POSITIVE_INFINITY };
const SAID = /has not answered since \d\d:\d\d/;

/** The words of the overview. */
async function overview(visitor: Visitor): Promise<string> {
  const { text } = await visitor.get('/');
  return text.replaceAll(/<[^<>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

async function signedIn(world: World): Promise<Visitor> {
  const visitor = new Visitor(world.url);
  await visitor.signIn(world.adminToken);
  return visitor;
}

describe('a side that does not answer', () => {
  let world: World;
  let shop: FaultProxy;
  beforeAll(async () => {
    world = await World.open({ proxied: true });
    shop = await FaultProxy.start(world.store.url);
    fill(world.store, 3);
    await world.configure({ stores: { main: { endpoint: shop.url } } });
  });
  afterEach(() => {
    shop.clear();
    world.proxy?.clear();
  });
  afterAll(async () => {
    await world.end();
    await shop.stop();
  });

  it('is on the overview while a run still waits for it, and gone once it answers', async () => {
    const here = await world.startHere();
    const visitor = await signedIn(world);
    const proxies = [shop, world.proxy];
    for (const proxy of proxies) proxy?.arm({ kind: 'drop' }, ALL);
    // A full one, which needs both sides. The daemon asks the catalog for results meanwhile.
    const run = await world.requestRun({ full: true });
    const words = await until('both sides are named', async () => {
      const shown = await overview(visitor);
      return ['Store main', 'The catalog'].every((name) => shown.includes(`${name} has not answered since`))
        ? shown
        : null;
    });
    const next = /(Next try \d\d:\d\d UTC|It is tried again within a minute)\. Nothing is lost\./g;
    expect(words.match(next)).toHaveLength(2);
    for (const proxy of proxies) {
      proxy?.clear();
      proxy?.cutAll();
    }
    await until('both sides answer', async () => !SAID.test(await overview(visitor)));
    expect((await world.endOf(run)).status).toBe('succeeded');
    await here.stop();
  });

  it('is named by `sync` at the terminal after five seconds', async () => {
    single(world.store, 'new-mug');
    world.proxy?.arm({ kind: 'status', status: 503 }, ALL);
    const startedAt = Date.now();
    const sync = await Program.start(['sync', '--full'], { cwd: world.directory, env: world.env });
    await until('the command says so', () => Promise.resolve(SAID.test(sync.stderr)));
    expect(sync.stderr).toContain('the catalog has not answered since');
    expect(Date.now() - startedAt).toBeGreaterThan(5_000);
    world.proxy?.clear();
    expect(await sync.exit()).toBe(0);
    expect(sync.stderr).toContain('the catalog answers again');
  });
});

(redisAvailable() ? describe : describe.skip)('a Redis that does not answer', () => {
  let redis: TestRedis;
  let world: World;
  beforeAll(async () => {
    redis = await startTestRedis();
    world = await World.open({ settings: { queue: { redisUrl: redis.url } } });
    await world.startHere();
  });
  afterAll(async () => {
    await world.end();
    await redis.stop();
  });

  it('is on the overview until it is back', async () => {
    const visitor = await signedIn(world);
    expect(await overview(visitor)).not.toMatch(SAID);
    await redis.stop();
    const words = await overview(visitor);
    await redis.start();
    expect(words).toContain('Redis has not answered since');
    await until('Redis is back', async () => !SAID.test(await overview(visitor)));
  });
});
