import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Inbox } from '../../../src/persistence/inbox.js';
import { SILENT_LOGGER } from '../../../src/runtime/logger.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { sqlRows } from '../../support/sql.js';
import { storedDelivery } from '../../support/results.js';
import { Stages, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
const opened: Inbox[] = [];
const servers: { server: Server; sockets: Set<Socket> }[] = [];

beforeEach(async () => stages.reset());
afterEach(async () => {
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
  await Promise.all(opened.splice(0).map((inbox) => inbox.onApplicationShutdown()));
});

function inboxAt(url: string): Inbox {
  const inbox = new Inbox({ url }, SILENT_LOGGER);
  opened.push(inbox);
  return inbox;
}

/** A listener on a port of the system's choosing; returns the test database's URL with that port. */
async function listening(onConnection: (socket: Socket, sockets: Set<Socket>) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined); // ends with the test
    onConnection(socket, sockets);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({ server, sockets });
  const url = new URL(stages.url);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return url.href;
}

const delivery = (dedupeKey = 'key', workspace = WORKSPACE) => ({
  ...{ workspace, dedupeKey, via: 'webhook' as const, headers: {}, action: null },
  rawBody: Buffer.from([0, 255, 1, 254]),
});

async function timed(work: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const startedAt = performance.now();
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return { error, ms: performance.now() - startedAt };
}

describe('the inbox', () => {
  it('keeps one row of fifty identical deliveries at once, and reports one of them as new', async () => {
    const replicas = [inboxAt(stages.url), inboxAt(stages.url)];
    const stored = await Promise.all(
      Array.from({ length: 50 }, (_each, index) => replicas[index % 2]!.store(delivery())),
    );
    expect(stored.filter((id) => id !== null)).toHaveLength(1);
    expect(await stages.deliveries.countByState()).toEqual({ received: 1 });
  });

  it('keeps deliveries apart by key and by workspace', async () => {
    const inbox = inboxAt(stages.url);
    for (const each of [delivery('a'), delivery('b'), delivery('a', 'other')])
      expect(await inbox.store(each)).not.toBeNull();
    expect(await stages.deliveries.countByState()).toEqual({ received: 3 });
  });

  it('keeps the bytes as they came, and the row is there once it answers', async () => {
    const id = await inboxAt(stages.url).store(delivery());
    const row = await storedDelivery(stages, id ?? '');
    expect(row?.rawBody).toEqual(Buffer.from([0, 255, 1, 254]));
    expect(await stages.deliveries.due(10)).toEqual([id]);
  });

  it('keeps one row of a product that many events name', async () => {
    const inbox = inboxAt(stages.url);
    const product = { store: 'main', externalId: 'shopify:shop:1', storeId: 'gid://shopify/Product/1' };
    await Promise.all(Array.from({ length: 20 }, () => inbox.announce(product)));
    expect(await stages.owed.storesAnnounced(0)).toEqual(['main']);
    expect(await sqlRows(stages.db, 'SELECT external_id, store_id FROM announced_product')).toEqual([
      { externalId: product.externalId, storeId: product.storeId },
    ]);
  });
});

describe('a database that is away', () => {
  it('is answered with a transient error within three and a half seconds, however it is away', async () => {
    const silent = await listening(() => undefined);
    const hangsUp = await listening((socket) => socket.destroy());
    const refusing = new URL(stages.url);
    refusing.port = '1';
    const results = await Promise.all(
      [silent, hangsUp, refusing.href].map((url) => timed(inboxAt(url).store(delivery()))),
    );
    for (const { error, ms } of results) {
      expect(error).toMatchObject({ code: 'transient' });
      expect(ms).toBeLessThan(3_500);
    }
  });

  it('in the middle of a connection is answered as soon, for all who wait, and does not stay away', async () => {
    let passes = true;
    const database = new URL(stages.url);
    const url = await listening((socket, sockets) => {
      const onward = connect(Number(database.port), database.hostname);
      sockets.add(onward);
      onward.on('error', () => undefined); // ends with the test
      socket.on('data', (data) => passes && onward.write(data));
      onward.on('data', (data) => passes && socket.write(data));
    });
    const inbox = inboxAt(url);
    expect(await inbox.store(delivery('before'))).not.toBeNull();
    passes = false;
    const results = await Promise.all(
      Array.from({ length: 30 }, (_each, index) => timed(inbox.store(delivery(`lost ${index}`)))),
    );
    for (const { error, ms } of results) {
      expect(error).toMatchObject({ code: 'transient' });
      expect(ms).toBeLessThan(3_500);
    }
    passes = true;
    const repeated = async (): Promise<string | null> => {
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const { error } = await timed(inbox.store(delivery('lost 0')));
        if (error === null) return 'stored';
      }
      return null;
    };
    expect(await repeated()).toBe('stored');
    expect(
      (
        await new ListingRepository(stages.db).deliveries({ limit: 100, offset: 0, order: 'desc' }, {})
      ).rows.filter((row) => row.state === 'received').length,
    ).toBeGreaterThan(1);
  });
});
