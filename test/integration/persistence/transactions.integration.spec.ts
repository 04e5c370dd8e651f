import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { migrate, openDataSource } from '../../../src/persistence/data-source.js';
import { Database } from '../../../src/persistence/database.js';
import { TcpGate } from '../../support/tcp-gate.js';
import { createTestDatabase } from '../../support/postgres.js';

let address: string;
let gate: TcpGate;
let source: DataSource;
let db: Database;

beforeAll(async () => {
  address = (await createTestDatabase()).url;
  const migrating = await openDataSource({ url: address, poolSize: 2 });
  await migrate(migrating);
  await migrating.query(`ALTER TABLE workspace_state
    ADD CONSTRAINT late UNIQUE (webhook_state) DEFERRABLE INITIALLY DEFERRED`);
  await migrating.destroy();
});
beforeEach(async () => {
  const url = new URL(address);
  gate = await TcpGate.before({ host: url.hostname, port: Number(url.port) });
  url.port = String(gate.port);
  url.hostname = '127.0.0.1';
  // The pool has one connection, so the next user gets the one that failed.
  source = await openDataSource({ url: url.href, poolSize: 1 });
  await source.query('TRUNCATE workspace_state, sync_run CASCADE');
  db = new Database(source);
});
afterEach(async () => {
  gate.open();
  await source.destroy();
  await gate.close();
});

const add = 'INSERT INTO workspace_state (workspace) VALUES ($1)';
const workspaces = async (): Promise<unknown> => source.query('SELECT workspace FROM workspace_state');

describe('a connection whose transaction failed', () => {
  it('is rolled back when its holder gives it back without doing so', async () => {
    const runner = source.createQueryRunner();
    await runner.startTransaction();
    await runner.query(add, ['x']);
    await expect(runner.query('SELECT nonsense')).rejects.toThrow('nonsense');
    await runner.release();
    expect(await workspaces()).toEqual([]);
  });

  it('never reports a commit that PostgreSQL turned into a rollback', async () => {
    const work = db.transaction(async (runner) => {
      await db.affected(add, ['x'], runner);
      await db.affected('SELECT nonsense', [], runner).catch(() => undefined);
    });
    await expect(work).rejects.toThrow('nonsense');
    expect(await workspaces()).toEqual([]);
  });

  it('reports a COMMIT that fails and keeps nothing', async () => {
    const both = `INSERT INTO workspace_state (workspace, webhook_state) VALUES ($1, 'x'), ($2, 'x')`;
    await expect(db.transaction((runner) => db.affected(both, ['a', 'b'], runner))).rejects.toThrow('late');
    expect(await workspaces()).toEqual([]);
  });

  it('is replaced when the server ended it', async () => {
    const work = db.transaction(async (runner) => {
      await db.affected(add, ['x'], runner);
      await db.affected('SELECT pg_terminate_backend(pg_backend_pid())', [], runner);
    });
    await expect(work).rejects.toThrow(/terminat/);
    expect(await workspaces()).toEqual([]);
  });

  it('is replaced when the server answers nothing any more, also to the ROLLBACK', async () => {
    const work = db.transaction(async (runner) => {
      await db.affected(add, ['x'], runner);
      gate.silence();
      throw new Error('the reason for the rollback');
    });
    await expect(work).rejects.toThrow('the reason for the rollback');
    gate.open();
    expect(await workspaces()).toEqual([]);
  });
});

describe('a client that vanishes inside a transaction', () => {
  it('holds others up no longer than a transaction may be open without a statement', async () => {
    const passing = address.replace(/:\d+\//, `:${String(gate.port)}/`);
    const vanishing = await openDataSource({ url: passing, poolSize: 1, idleInTransactionMs: 500 });
    const staying = await openDataSource({ url: address, poolSize: 1 });
    try {
      const runner = vanishing.createQueryRunner();
      await runner.startTransaction();
      await runner.query(add, ['x']);
      gate.silence();
      await staying.query(add, ['x']);
      expect(await staying.query('SELECT workspace FROM workspace_state')).toEqual([{ workspace: 'x' }]);
      gate.shut();
      await runner.release().catch(() => undefined); // its connection is gone
    } finally {
      await vanishing.destroy();
      await staying.destroy();
    }
  });
});

describe('a value that PostgreSQL cannot take', () => {
  it.each([
    ['a NUL character in a text', 'SELECT $1::text', 'a\u0000b'],
    ['\\u0000 in a JSON text', 'SELECT ($1::jsonb)->>0', '["\\u0000"]'],
    ['half a surrogate pair in JSON', 'SELECT $1::jsonb', '["\\ud800"]'],
    ['a day that no month has', 'SELECT $1::timestamptz', '2026-02-31'],
    ['a year that no timestamp reaches', 'SELECT $1::timestamptz', '999999-01-01'],
    ['a text where an id belongs', 'SELECT $1::uuid', 'merchant words'],
    ['a number that is too large', 'SELECT $1::integer', '99999999999'],
  ])('is an invalid value, not an unforeseen error: %s', async (_name, sql, value) => {
    const error: unknown = await db.affected(sql, [value]).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid' });
    expect(String(error)).not.toContain(value);
  });

  it('is an invalid value also where TypeORM makes the statement', async () => {
    const where = { externalId: 'a\u0000b' };
    await expect(source.getRepository('store_product').findOneBy(where)).rejects.toMatchObject({
      code: 'invalid',
    });
  });
});

describe('the error of a statement', () => {
  it('holds none of its values, which are texts of products and end up in logs', async () => {
    const twice = db.affected(`${add}, ($1)`, ['merchant words']);
    const error: unknown = await twice.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '23505', constraint: 'workspace_state_pkey' });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('merchant words');
  });
});
