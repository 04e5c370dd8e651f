import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { boundedClient } from '../../../src/persistence/bounded-client.js';
import { openDataSource } from '../../../src/persistence/data-source.js';
import { TcpGate } from '../../support/tcp-gate.js';
import { createTestDatabase } from '../../support/postgres.js';

const SILENCE_MS = 300;

/** A server that lets a client in and shuts down at the same moment. */
const READY_AND_ENDED = Buffer.concat([
  message('R', Buffer.from([0, 0, 0, 0])),
  message('Z', Buffer.from('I')),
  message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')),
]);

function message(kind: string, body: Buffer): Buffer {
  const head = Buffer.from(`${kind}\0\0\0\0`, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

let gate: TcpGate;
let address: string;
let pool: pg.Pool;
let removed: number;

beforeEach(async () => {
  const url = new URL((await createTestDatabase()).url);
  gate = await TcpGate.before({ host: url.hostname, port: Number(url.port) });
  url.port = String(gate.port);
  url.hostname = '127.0.0.1';
  address = url.href;
  pool = new pg.Pool({
    Client: boundedClient(SILENCE_MS),
    connectionString: address,
    connectionTimeoutMillis: 1_000,
    max: 2,
  });
  pool.on('error', () => undefined); // what breaks here is meant to
  removed = 0;
  pool.on('remove', () => (removed += 1));
});
afterEach(async () => {
  await pool.end();
  await gate.close();
});

const one = async (): Promise<unknown> => (await pool.query<{ one: number }>('SELECT 1 AS one')).rows[0]?.one;

describe('a bounded client', () => {
  it('fails what it was asked when the server says nothing, and makes room for another', async () => {
    expect(await one()).toBe(1);
    gate.silence();
    await expect(Promise.all([one(), one(), one(), one()])).rejects.toThrow('no answer within 300 ms');
    gate.open();
    const again = async (): Promise<unknown> => one().catch(again);
    expect(await again()).toBe(1);
  });

  it('fails each of several statements of one connection, in a transaction too', async () => {
    const client = await pool.connect();
    client.on('error', () => undefined); // comes with the statement's own
    await client.query('BEGIN');
    gate.silence();
    const asked = [client.query('SELECT 1'), client.query('SELECT 2')];
    for (const outcome of await Promise.allSettled(asked)) expect(outcome.status).toBe('rejected');
    client.release(true);
  });

  it('fails a statement that takes longer, and leaves one that answers in time', async () => {
    await expect(pool.query('SELECT pg_sleep(0.6)')).rejects.toThrow('no answer');
    expect((await pool.query('SELECT pg_sleep(0.1)')).rowCount).toBe(1);
  });

  it('has the server give a vanished client up within two minutes, beside the options that it is given', async () => {
    const given = new pg.Pool({
      Client: boundedClient(SILENCE_MS),
      connectionString: address,
      options: '-c search_path=elsewhere',
      max: 1,
    });
    try {
      const { rows } = await given.query<{ name: string; setting: string }>(
        `SELECT name, setting FROM pg_settings
         WHERE name LIKE 'tcp\\_%' OR name IN ('idle_in_transaction_session_timeout', 'search_path')`,
      );
      expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
        idle_in_transaction_session_timeout: '120000',
        search_path: 'elsewhere',
        tcp_keepalives_count: '6',
        tcp_keepalives_idle: '60',
        tcp_keepalives_interval: '10',
        tcp_user_timeout: '120000',
      });
    } finally {
      await given.end();
    }
  });

  it('fails its next statement, and not the process, when the server ends it as soon as it is connected', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end(READY_AND_ENDED));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const at = server.address() as AddressInfo;
    const ended = new pg.Pool({
      Client: boundedClient(SILENCE_MS),
      connectionString: `postgres://any@127.0.0.1:${String(at.port)}/any`,
    });
    try {
      const client = await ended.connect();
      await expect(client.query('SELECT 1')).rejects.toThrow(/not queryable/);
      client.release(true);
    } finally {
      await ended.end();
      server.close();
    }
  });

  it('may be silent while it is asked nothing: in the pool, in a transaction, and when it listens', async () => {
    expect(await one()).toBe(1);
    const listening = await pool.connect();
    await listening.query('BEGIN');
    await sleep(SILENCE_MS * 2);
    await listening.query('COMMIT');
    await listening.query('LISTEN word');
    const notified = once(listening, 'notification');
    await sleep(SILENCE_MS * 2);
    await pool.query('NOTIFY word');
    await notified;
    listening.release();
    expect(removed).toBe(0);
  });

  it('has its limit again after a silence between two statements', async () => {
    expect(await one()).toBe(1);
    await sleep(SILENCE_MS * 2);
    gate.silence();
    await expect(one()).rejects.toThrow('no answer');
  });
});

describe('the data source of the repositories', () => {
  async function timeLimit(settings: { readonly silenceMs?: number }): Promise<number | undefined> {
    const source = await openDataSource({ url: address, poolSize: 1, ...settings });
    try {
      const client = (await source.createQueryRunner().connect()) as { connection: { stream: Socket } };
      return client.connection.stream.timeout;
    } finally {
      await source.destroy();
    }
  }

  it('fails a statement of a server that says nothing, and gets an answer by its next connection', async () => {
    const source = await openDataSource({ url: address, poolSize: 2, silenceMs: SILENCE_MS });
    const ask = (): Promise<unknown> => source.query('SELECT 1 AS one');
    try {
      expect(await ask()).toEqual([{ one: 1 }]);
      gate.silence();
      await expect(ask()).rejects.toThrow();
      gate.open();
      const again = async (): Promise<unknown> => ask().catch(again);
      expect(await again()).toEqual([{ one: 1 }]);
    } finally {
      await source.destroy();
    }
  });

  it.each([
    [{}, 120_000],
    [{ silenceMs: 0 }, 0],
  ])('with the settings %p waits %d ms for an answer', async (settings, ms) => {
    expect(await timeLimit(settings)).toBe(ms);
  });
});
