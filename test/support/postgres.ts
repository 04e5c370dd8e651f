import { randomBytes } from 'node:crypto';
import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  APPLICATION_ROLE,
  applicationPassword,
  clusterPassword,
  ensureCluster,
  SUPERUSER,
} from '../../src/embedded-postgres/cluster.js';
import { postgresBinaries, serverUser, type ServerPlace } from '../../src/embedded-postgres/programs.js';
import { LOOPBACK, runningPostmaster, startServer } from '../../src/embedded-postgres/server.js';
import { migrate, openDataSource } from '../../src/persistence/data-source.js';
import { ownPort } from './ports.js';
import { noteProcess, runDirectory } from './run-directory.js';

export interface TestDatabase {
  /** The owner of the database, not a superuser: a statement that needs more rights than operators grant fails in tests, too. */
  readonly url: string;
  /** Removes the database, connections and all. Not needed for tidiness: the cluster goes with the run. */
  drop(): Promise<void>;
}

/** As the options of `startCatalogSandbox` name it. The sandbox makes the schema. */
export interface SandboxPlace {
  readonly databaseUrl: string;
  readonly schema: string;
}

/** A server of a test's own that it may stop and break. */
export interface TestCluster {
  /** For the superuser, and the database `postgres`. */
  readonly url: string;
  readonly place: ServerPlace;
  /** Starts it again, on the same port, after it was stopped. */
  start(): Promise<void>;
}

/** Commits survive a server that is stopped at once, but not a power cut. Tests stop servers and expect what they committed. */
const FOR_TESTS = { fsync: 'off', full_page_writes: 'off', max_connections: '200' };

let shared: Promise<string> | undefined;
let migrated: Promise<string> | undefined;
let sandboxes: Promise<TestDatabase> | undefined;

/**
 * A new, empty database in the cluster that all tests of this run share. The first call of a run starts the cluster. `collation` is a
 * language whose order texts have there, as on the servers of most operators. Otherwise they are in the order of their bytes.
 */
export async function createTestDatabase(collation?: string): Promise<TestDatabase> {
  return collation === undefined
    ? await createDatabase('template1')
    : await createDatabase(`template0 LOCALE_PROVIDER icu ICU_LOCALE '${collation}'`);
}

/**
 * A new database with every migration applied and no rows. The first call of a run applies the migrations to a template; each call
 * copies the template, which takes a quarter of the time.
 */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  migrated ??= oncePerRun('migrated', makeTemplate);
  return await createDatabase(await migrated);
}

/**
 * Where a catalog sandbox keeps its tables: an empty schema of a database that all sandboxes of this worker share. A new schema takes
 * a tenth of the time of a new database.
 */
export async function createSandboxPlace(): Promise<SandboxPlace> {
  sandboxes ??= createTestDatabase();
  const { url } = await sandboxes;
  return { databaseUrl: url, schema: `sandbox_${randomBytes(8).toString('hex')}` };
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const base = await sharedCluster();
  const name = `test_${randomBytes(8).toString('hex')}`;
  // A file copy is the faster strategy here: it writes no log, and its checkpoint is free because nothing is flushed to disk.
  await administer(
    base,
    `CREATE DATABASE ${name} OWNER ${APPLICATION_ROLE} TEMPLATE ${template} STRATEGY FILE_COPY`,
  );
  return {
    url: urlOf(base, name),
    drop: async () => await administer(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** Makes the database that `createMigratedDatabase` copies, and answers its name. */
async function makeTemplate(): Promise<string> {
  const name = 'migrated';
  const base = await sharedCluster();
  await administer(base, `CREATE DATABASE ${name} OWNER ${APPLICATION_ROLE}`);
  const source = await openDataSource({ url: urlOf(base, name), poolSize: 2 });
  try {
    await migrate(source);
  } finally {
    await source.destroy();
  }
  // PostgreSQL refuses to copy a database while somebody is connected to it.
  await administer(base, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  return name;
}

function urlOf(base: string, database: string): string {
  const url = new URL(base);
  url.username = APPLICATION_ROLE;
  url.password = applicationPassword(url.password);
  url.pathname = `/${database}`;
  return url.href;
}

/**
 * A server of its own in `directory` (a name within the run's directory), for tests that stop it. About a second.
 */
export async function startTestCluster(directory: string): Promise<TestCluster> {
  const clusterDir = join(runDirectory(), directory, 'postgres');
  await mkdir(join(runDirectory(), directory), { recursive: true });
  const user = await serverUser(clusterDir);
  const binaries = await postgresBinaries(user, () => undefined);
  await ensureCluster(clusterDir, { binaries, user, disposable: true });
  const port = await ownPort();
  const url = `postgres://${SUPERUSER}:${await clusterPassword(clusterDir)}@${LOOPBACK}:${port}/postgres`;
  const place = { clusterDir, binaries, user };
  const start = async (): Promise<void> => {
    const logFile = join(runDirectory(), directory, 'postgres.log');
    if (!(await startServer(place, port, logFile, FOR_TESTS)))
      throw new Error(`PostgreSQL did not start: ${(await readFile(logFile, 'utf8')).slice(-1000)}`);
    const running = await runningPostmaster(await realpath(clusterDir));
    if (running !== null) await noteProcess(running.pid, clusterDir);
  };
  await start();
  return { url, place, start };
}

function sharedCluster(): Promise<string> {
  shared ??= oncePerRun('shared', async () => {
    const { url } = await startTestCluster('shared');
    const password = applicationPassword(new URL(url).password);
    await administer(url, `CREATE ROLE ${APPLICATION_ROLE} LOGIN PASSWORD '${password}'`);
    return url;
  });
  return shared;
}

/**
 * Of several Jest workers the first one makes the thing and publishes a text about it in the run's directory. The others wait for
 * that text. Each worker has to remember the answer.
 */
async function oncePerRun(name: string, make: () => Promise<string>): Promise<string> {
  const published = join(runDirectory(), `${name}.made`);
  const first = await mkdir(join(runDirectory(), `${name}.lock`)).then(
    () => true,
    () => false, // another worker made it
  );
  if (first) {
    const text = await make();
    await writeFile(`${published}.draft`, text, { mode: 0o600 });
    await rename(`${published}.draft`, published);
    return text;
  }
  for (let waited = 0; waited < 60_000; waited += 25) {
    if (await stat(published).catch(() => null)) return await readFile(published, 'utf8');
    await sleep(25);
  }
  throw new Error(`no test worker has made "${name}" within a minute: see the output of the others`);
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
