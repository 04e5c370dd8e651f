import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresBinaries } from '../../src/embedded-postgres/binaries.js';
import { clusterPassword, ensureCluster, SUPERUSER } from '../../src/embedded-postgres/cluster.js';
import { freePort, LOOPBACK, spawnServer, type ServerPlace } from '../../src/embedded-postgres/server.js';
import { serverUser } from '../../src/embedded-postgres/server-user.js';
import { noteProcess, runDirectory } from './run-directory.js';

export interface TestDatabase {
  readonly url: string;
  /** Removes the database, connections and all. Not needed for tidiness: the cluster goes with the run. */
  drop(): Promise<void>;
}

/** A server of a test's own that it may stop and break. */
export interface TestCluster {
  readonly url: string;
  readonly place: ServerPlace;
  /** Starts it again, on the same port, after it was stopped. */
  start(): Promise<void>;
}

/** Commits survive a server that is stopped at once, only not a power cut: tests stop servers, and want what they committed back. */
const FOR_TESTS = { fsync: 'off', full_page_writes: 'off', max_connections: '200' };

let shared: Promise<string> | undefined;

/** A fresh, empty database in the cluster that all tests of this run share; the first call of a run starts it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  shared ??= sharedCluster();
  const base = await shared;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(base, `CREATE DATABASE ${name}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => await administer(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** A server of its own in `directory` (a name within the run's directory), for tests that stop it. About a second. */
export async function startTestCluster(directory: string): Promise<TestCluster> {
  const clusterDir = join(runDirectory(), directory, 'postgres');
  await mkdir(join(runDirectory(), directory), { recursive: true });
  const user = await serverUser(clusterDir);
  const binaries = await postgresBinaries(user, () => undefined);
  await ensureCluster(clusterDir, { binaries, user, disposable: true, now: () => new Date() });
  const port = await freePort(null, Math.random);
  const url = `postgres://${SUPERUSER}:${await clusterPassword(clusterDir)}@${LOOPBACK}:${port}/postgres`;
  const place = { clusterDir, binaries, user };
  const start = async (): Promise<void> => {
    const logFile = join(runDirectory(), directory, 'postgres.log');
    const server = await spawnServer({ ...place, port, logFile, settings: FOR_TESTS });
    const strike = await noteProcess(server.pid, clusterDir);
    const state = { ended: false };
    void server.exited.then(async () => {
      state.ended = true;
      await strike();
    });
    for (;;) {
      if (await answers(url)) return;
      if (state.ended)
        throw new Error(`PostgreSQL did not start: ${(await readFile(logFile, 'utf8')).slice(-1000)}`);
      await sleep(25);
    }
  };
  await start();
  return { url, place, start };
}

/** Of several Jest workers one starts it, the others wait for its address. */
async function sharedCluster(): Promise<string> {
  const address = join(runDirectory(), 'shared.url');
  const first = await mkdir(join(runDirectory(), 'shared.lock')).then(
    () => true,
    () => false, // another worker made it
  );
  if (first) {
    const { url } = await startTestCluster('shared');
    await writeFile(`${address}.draft`, url, { mode: 0o600 });
    await rename(`${address}.draft`, address);
    return url;
  }
  for (let waited = 0; waited < 60_000; waited += 25) {
    if (await stat(address).catch(() => null)) return await readFile(address, 'utf8');
    await sleep(25);
  }
  throw new Error('the shared test cluster did not start');
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined); // it may go down again while we leave
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
