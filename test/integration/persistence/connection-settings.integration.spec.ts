import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ServiceUnavailableException } from '@nestjs/common';
import pg from 'pg';
import { HealthController } from '../../../src/api/health.controller.js';
import { boundedClient } from '../../../src/persistence/bounded-client.js';
import { openDataSource } from '../../../src/persistence/data-source.js';
import { Database } from '../../../src/persistence/database.js';
import { GroundLooks } from '../../../src/operations/outages.js';
import { SYSTEM_CLOCK } from '../../../src/runtime/clock.js';
import { createTestDatabase } from '../../support/postgres.js';

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

/** A database whose owner, or whose administrator, set these for everybody. */
async function databaseWith(settings: Readonly<Record<string, string>>, query = ''): Promise<Database> {
  const { url } = await createTestDatabase();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const name = new URL(url).pathname.slice(1);
  for (const [setting, value] of Object.entries(settings))
    await admin.query(`ALTER DATABASE "${name}" SET ${setting} = '${value}'`);
  await admin.end();
  const source = await openDataSource({ url: `${url}${query}`, poolSize: 2 });
  closing.push(() => source.destroy());
  return new Database(source);
}

const shown = async (db: Database, setting: string): Promise<unknown> => {
  const [row]: [Record<string, unknown>] = await db.dataSource.query(
    `SELECT current_setting('${setting}') AS value`,
  );
  return row['value'];
};

describe('a connection to the database', () => {
  const FOREIGN = { datestyle: 'German, DMY', intervalstyle: 'sql_standard', timezone: 'Asia/Kathmandu' };

  it.each(['', '?options=-c%20DateStyle%3DGerman'])(
    'reads times in one form, whatever the database says, with the address ending in "%s"',
    async (query) => {
      const db = await databaseWith(FOREIGN, query);
      const [{ at, day }]: [{ at: Date; day: string }] = await db.dataSource.query(
        `SELECT '2026-03-04T05:06:07Z'::timestamptz AS at, '2026-03-04T23:30:00Z'::timestamptz::date::text AS day`,
      );
      expect(at.toISOString()).toBe('2026-03-04T05:06:07.000Z');
      expect(day).toBe('2026-03-04');
      expect(await shown(db, 'IntervalStyle')).toBe('postgres');
    },
  );

  it('keeps the options of its address beside the limits of the program', async () => {
    const db = await databaseWith({}, '?options=-c%20work_mem%3D8MB');
    expect(await shown(db, 'work_mem')).toBe('8MB');
    expect(await shown(db, 'idle_in_transaction_session_timeout')).toBe('2min');
  });
});

describe('a server with a certificate that nobody signed', () => {
  const pem = (name: string) =>
    readFileSync(fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url)));

  /** Whether a client gets through the handshake and sends its name. */
  async function reaches(query: string): Promise<boolean> {
    const greeted = Promise.withResolvers<boolean>();
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write('S');
        const secure = new TLSSocket(socket, {
          isServer: true,
          key: pem('self-signed.key'),
          cert: pem('self-signed.crt'),
        });
        secure.on('error', () => undefined);
        secure.once('data', () => {
          greeted.resolve(true);
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const Client = boundedClient(1_000);
    const { port } = server.address() as AddressInfo;
    const client = new Client({ connectionString: `postgres://a:b@127.0.0.1:${String(port)}/c${query}` });
    client.connect().catch(() => {
      greeted.resolve(false);
    });
    try {
      return await greeted.promise;
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  }

  it('is taken by sslmode=require, as psql takes it', async () => {
    expect(await reaches('?sslmode=require')).toBe(true);
  });

  it('is refused by sslmode=verify-full', async () => {
    expect(await reaches('?sslmode=verify-full')).toBe(false);
  });
});

describe('readiness', () => {
  function readiness(db: Database): Promise<unknown> {
    const queue = { kind: 'redis', ping: () => Promise.resolve() } as const;
    return new HealthController(new GroundLooks(db, SYSTEM_CLOCK, queue))
      .ready()
      .catch((error: unknown) =>
        error instanceof ServiceUnavailableException ? error.getResponse() : error,
      );
  }

  it('is there while the database takes writes', async () => {
    expect(await readiness(await databaseWith({}))).toMatchObject({ status: 'ok' });
  });

  it('is gone while the database is read-only', async () => {
    const db = await databaseWith({ default_transaction_read_only: 'on' });
    expect(await readiness(db)).toMatchObject({ message: 'down: database' });
  });
});
