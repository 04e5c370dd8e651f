import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { Program } from '../support/e2e-program.js';
import { until, World } from '../support/e2e-world.js';

let world: World;
let daemon: Program;
beforeAll(async () => {
  world = await World.open();
  await mkdir(join(world.directory, 'stores.d'));
  await world.configure({ storesDir: './stores.d' });
  daemon = await world.start();
});
afterAll(async () => world.end());

/** A second store in a file of its own, at the same sandbox. */
async function addStore(key: string, shop: string, token = 'a-token-of-the-second-store'): Promise<void> {
  const stores = {
    [key]: { workspace: 'default', shop, endpoint: world.store.url, auth: { accessToken: token } },
  };
  await writeFile(join(world.directory, 'stores.d', `${key}.yaml`), stringify({ stores }), { mode: 0o600 });
}

async function storesOf(): Promise<string[]> {
  const { body } = await world.api('GET', '/api/v1/status');
  const { stores } = body as { stores: { store: string }[] };
  return stores.map(({ store }) => store).sort();
}

describe('a reload of the configuration', () => {
  it('by the API adds a store without a restart, and says what changed', async () => {
    const before = await storesOf();
    await addStore('second', 'second.myshopify.com');
    expect(await world.api('POST', '/api/v1/config/reload')).toEqual({
      status: 200,
      body: {
        workspaces: { added: [], changed: [], removed: [] },
        stores: { added: ['second'], changed: [], removed: [] },
        warnings: [],
      },
    });
    expect(await storesOf()).toEqual([...before, 'second'].sort());
    const asked = await world.api('POST', '/api/v1/stores/second/syncs', { full: true });
    expect(asked.status).toBe(202);
  });

  it('by SIGHUP does the same, and no line shows the new secret', async () => {
    await addStore('third', 'third.myshopify.com', 'canary-of-the-third-store');
    daemon.signal('SIGHUP');
    await until('the third store', async () => ((await storesOf()).includes('third') ? true : null));
    expect([...daemon.lines, daemon.stderr].join('\n')).not.toContain('canary-of-the-third-store');
  });

  it('is refused whole, with the reason, when one file is wrong', async () => {
    const before = await storesOf();
    await writeFile(join(world.directory, 'stores.d', 'wrong.yaml'), 'stores: { wrong: { shop: nowhere } }');
    const { status, body } = await world.api('POST', '/api/v1/config/reload');
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining('stores.wrong.')]);
    expect(await storesOf()).toEqual(before);
    daemon.signal('SIGHUP');
    await daemon.line((line) => line.includes('the changed configuration is not used'));
    await writeFile(join(world.directory, 'stores.d', 'wrong.yaml'), '');
  });

  it('refuses what needs a restart, by name', async () => {
    await world.configure({ storesDir: './stores.d', queue: { redisUrl: 'redis://127.0.0.1:1' } });
    const { status, body } = await world.api('POST', '/api/v1/config/reload');
    const reason = expect.stringContaining('queue.redisUrl: the change needs a restart');
    expect([status, JSON.stringify(body)]).toEqual([409, reason]);
    await world.configure({ storesDir: './stores.d' });
  });

  it('removes a store whose file is gone', async () => {
    const before = await storesOf();
    await addStore('removed', 'removed.myshopify.com');
    await world.api('POST', '/api/v1/config/reload');
    expect(await storesOf()).toContain('removed');
    await writeFile(join(world.directory, 'stores.d', 'removed.yaml'), '');
    const { body } = await world.api('POST', '/api/v1/config/reload');
    expect(body).toMatchObject({ stores: { added: [], removed: ['removed'] } });
    expect(await storesOf()).toEqual(before);
  });

  it('by SIGHUP during a start waits until the daemon is up', async () => {
    const before = await storesOf();
    daemon.signal('SIGTERM');
    await daemon.exit();
    const { hostname: host, port } = new URL(world.databaseUrl);
    const [reached, signalled] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
    const door = createServer((incoming) => {
      reached.resolve(null);
      const outgoing = connect({ host, port: Number(port) });
      for (const socket of [incoming, outgoing]) socket.on('error', () => undefined);
      incoming.once('close', () => outgoing.destroy());
      outgoing.pipe(incoming);
      void signalled.promise.then(() => incoming.pipe(outgoing));
    }).listen(0, '127.0.0.1');
    await once(door, 'listening');
    const url = new URL(world.databaseUrl);
    url.port = String((door.address() as AddressInfo).port);
    await world.configure({ storesDir: './stores.d', database: { url: url.href } });
    const started = await Program.start(['start'], { cwd: world.directory, env: world.env });
    try {
      await reached.promise;
      await addStore('fourth', 'fourth.myshopify.com');
      started.signal('SIGHUP');
      signalled.resolve(null);
      await started.line((line) => line.includes('the configuration was read again'));
      expect(await storesOf()).toEqual([...before, 'fourth'].sort());
    } finally {
      started.signal('SIGTERM');
      expect(await started.exit()).toBe(0);
      door.close();
      await world.configure({ storesDir: './stores.d' });
      daemon = await world.start();
    }
  });
});
