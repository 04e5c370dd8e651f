import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, cp, mkdir, mkdtemp, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  openEmbeddedPostgres,
  removeEmbeddedPostgres,
} from '../../../src/embedded-postgres/index.js';
import { preparePlace } from '../../../src/embedded-postgres/cluster.js';
import type { ServerPlace } from '../../../src/embedded-postgres/programs.js';
import { runningPostmaster, stopServer } from '../../../src/embedded-postgres/server.js';
import { type Child, startChild } from '../../support/child.js';
import { noteProcess, runDirectory } from '../../support/run-directory.js';

const PROGRAM = fileURLToPath(new URL('embedded-user.ts', import.meta.url));

const opened: EmbeddedPostgres[] = [];
const children: Child[] = [];
const dataDirs: string[] = [];

afterEach(async () => {
  await Promise.all(children.splice(0).map(async (child) => await child.kill()));
  await Promise.all(opened.splice(0).map(async (database) => await database.release()));
  for (const dataDir of dataDirs.splice(0)) {
    if ((await runningPostmaster(join(dataDir, 'postgres'))) !== null)
      await stopServer(await place(dataDir), 'fast', 10_000);
    await removeEmbeddedPostgres(dataDir);
  }
});

async function newDataDir(): Promise<string> {
  const dataDir = join(await mkdtemp(join(await realpath(runDirectory()), 'embedded-')), 'data');
  // mkdtemp's own mode would hide it from the server's user when this runs as root; embedded-accounts.spec.ts has that case.
  await chmod(join(dataDir, '..'), 0o755);
  dataDirs.push(dataDir);
  return dataDir;
}

let template: Promise<string> | undefined;

/** A dataDir with a cluster that was never started: a copy takes a tenth of the time of initdb. */
async function madeDataDir(): Promise<string> {
  template ??= newDataDir().then(async (made) => {
    await place(made);
    dataDirs.splice(dataDirs.indexOf(made), 1);
    return made;
  });
  const [made, dataDir] = [await template, await newDataDir()];
  await cp(made, dataDir, { recursive: true });
  return dataDir;
}

async function open(dataDir: string, lines: string[] = []): Promise<EmbeddedPostgres> {
  const database = await openEmbeddedPostgres({ dataDir, log: (line) => lines.push(line) });
  opened.push(database);
  await noteServer(dataDir);
  return database;
}

async function openInChild(dataDir: string): Promise<{ child: Child; url: string }> {
  const child = startChild(PROGRAM, [dataDir]);
  children.push(child);
  const url = await child.said('url ');
  await noteServer(dataDir);
  return { child, url };
}

async function noteServer(dataDir: string): Promise<void> {
  const clusterDir = await realpath(join(dataDir, 'postgres'));
  const running = await runningPostmaster(clusterDir);
  if (running) await noteProcess(running.pid, clusterDir);
}

async function place(dataDir: string): Promise<ServerPlace> {
  return await preparePlace({ dataDir, log: () => undefined });
}

async function serverPid(dataDir: string): Promise<number | null> {
  return (await runningPostmaster(join(dataDir, 'postgres')))?.pid ?? null;
}

async function ask<Row extends pg.QueryResultRow>(url: string, query: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(query)).rows;
  } finally {
    await client.end();
  }
}

/** Polls for changes without an event: those of another process. Fails after ten seconds. */
async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let waited = 0; waited < 10_000; waited += 50) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(50);
  }
  throw new Error('it did not come about');
}

describe('the embedded database of a first start', () => {
  let dataDir: string;
  let database: EmbeddedPostgres;
  beforeAll(async () => {
    dataDir = await newDataDir();
    dataDirs.pop();
    database = await openEmbeddedPostgres({ dataDir, log: () => undefined });
    await noteServer(dataDir);
  });
  afterAll(async () => {
    await database.release();
    await removeEmbeddedPostgres(dataDir);
  });

  it('is made, with its address in a file that only its owner can read', async () => {
    expect(await ask(database.url, 'SELECT current_database() AS name')).toEqual([{ name: 'store_sync' }]);
    const address = join(dataDir, 'postgres.json');
    expect((await stat(address)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(address, 'utf8'))).toMatchObject({
      port: Number(new URL(database.url).port),
    });
  });

  it('refuses connections that bring no password', async () => {
    const url = new URL(database.url);
    url.password = '';
    await expect(ask(url.href, 'SELECT 1')).rejects.toThrow();
  });

  it('is used by a role that owns its database and is no superuser', async () => {
    const { url } = database;
    expect(
      await ask(
        url,
        'SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user',
      ),
    ).toEqual([{ rolsuper: false, rolcreatedb: false, rolcreaterole: false }]);
    await ask(url, 'CREATE SCHEMA mine CREATE TABLE mine (id integer)');
    await expect(ask(url, `COPY mine.mine FROM '/etc/passwd'`)).rejects.toThrow('permission denied');
    await expect(ask(url, `SELECT pg_read_file('/etc/passwd')`)).rejects.toThrow('permission denied');
  });
});

describe('the embedded database', () => {
  it('is one server for all processes of a dataDir, and the last one out stops it', async () => {
    const dataDir = await madeDataDir();
    const first = await openInChild(dataDir);
    const pid = await serverPid(dataDir);
    const second = await open(dataDir);
    expect(second.url).toBe(first.url);

    first.child.send('release');
    await first.child.said('released');
    expect(await ask(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await serverPid(dataDir)).toBe(pid);

    await second.release();
    expect(await serverPid(dataDir)).toBeNull();
  });

  it('outlives a killed owner and is adopted by the next start', async () => {
    const dataDir = await madeDataDir();
    const owner = await openInChild(dataDir);
    await ask(owner.url, 'CREATE TABLE kept (id int)');
    const pid = await serverPid(dataDir);
    await owner.child.kill();

    const next = await open(dataDir);
    expect(await serverPid(dataDir)).toBe(pid);
    expect(await ask(next.url, 'SELECT count(*)::int AS rows FROM kept')).toEqual([{ rows: 0 }]);
    await next.release();
    expect(await serverPid(dataDir)).toBeNull();
  });

  it('is adopted although its starter left no address', async () => {
    const dataDir = await madeDataDir();
    const owner = await openInChild(dataDir);
    const pid = await serverPid(dataDir);
    await owner.child.kill();
    await writeFile(join(dataDir, 'postgres.json'), '{"port":');

    const next = await open(dataDir);
    expect(next.url).toBe(owner.url);
    expect(await serverPid(dataDir)).toBe(pid);
  });

  it('is made once and started once by two first starters', async () => {
    const dataDir = await newDataDir();
    const [one, two, three] = await Promise.all([open(dataDir), openInChild(dataDir), openInChild(dataDir)]);
    expect(new Set([one.url, two.url, three.url]).size).toBe(1);
  });

  it('is opened with what was committed by a start that meets the last user leaving', async () => {
    const dataDir = await madeDataDir();
    for (let round = 1; round <= 3; round += 1) {
      const leaving = await open(dataDir);
      await ask(leaving.url, `CREATE TABLE kept_${round} (id integer)`);
      const [next] = await Promise.all([open(dataDir), leaving.release()]);
      const kept = `SELECT count(*)::int AS kept FROM pg_tables WHERE tablename LIKE 'kept_%'`;
      expect(await ask(next.url, kept)).toEqual([{ kept: round }]);
      await next.release();
    }
  });

  it('is brought back on the same address when it is stopped under its user, and then ends with it', async () => {
    const dataDir = await madeDataDir();
    const lines: string[] = [];
    const database = await open(dataDir, lines);
    const before = database.url;
    await stopServer(await place(dataDir), 'immediate', 10_000);

    const answer = await eventually(
      async () => await ask(before, 'SELECT 1 AS one').catch(() => undefined), // while it is down
    );
    expect(answer).toEqual([{ one: 1 }]);
    expect(database.url).toBe(before);
    await eventually(async () =>
      lines.some((line) => line.endsWith('the server is back')) ? true : undefined,
    );
    await noteServer(dataDir);
    await database.release();
    expect(await serverPid(dataDir)).toBeNull();
  });

  it('starts over the lock that a killed server left, also when its pid has gone to another process', async () => {
    const dataDir = await madeDataDir();
    await (await open(dataDir)).release();
    const stranger = startChild(fileURLToPath(new URL('idle.ts', import.meta.url)), []);
    children.push(stranger);
    await stranger.said('idle');
    const { clusterDir } = await place(dataDir);
    await writeFile(
      join(clusterDir, 'postmaster.pid'),
      `${stranger.process.pid ?? 0}\n${clusterDir}\n1\n15432\n\n127.0.0.1\n\nready\n`,
    );
    const database = await open(dataDir);
    expect(await ask(database.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('ends a server that hangs before it starts another', async () => {
    const dataDir = await madeDataDir();
    const owner = await openInChild(dataDir);
    await ask(owner.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await owner.child.kill();
    const hung = (await serverPid(dataDir)) ?? 0;
    process.kill(hung, 'SIGSTOP');

    const database = await openEmbeddedPostgres({ dataDir, log: () => undefined, hungAfterMs: 1_000 });
    opened.push(database);
    await noteServer(dataDir);
    expect(await serverPid(dataDir)).not.toBe(hung);
    expect(await ask(database.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('does not take the server of a copied dataDir for its own', async () => {
    const dataDir = await madeDataDir();
    await (await open(dataDir)).release();
    const copied = await newDataDir();
    await cp(dataDir, copied, { recursive: true });
    const original = await open(dataDir);
    const copy = await open(copied);
    expect(copy.url).not.toBe(original.url);
  });

  it('says what is wrong when something else is where its cluster goes', async () => {
    const dataDir = await newDataDir();
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'note.txt'), 'mine');
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'misconfigured' });
    expect(await readFile(join(dataDir, 'postgres', 'note.txt'), 'utf8')).toBe('mine');
  });

  it('says so when its files were made by another major version', async () => {
    const dataDir = await madeDataDir();
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '16\n');
    await expect(open(dataDir)).rejects.toThrow(/made by PostgreSQL 16.*brings 17/);
  });
});
