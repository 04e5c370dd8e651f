import { afterEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { chmod, chown, cp, lstat, mkdir, mkdtemp, realpath, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { preparePlace } from '../../../src/embedded-postgres/cluster.js';
import {
  type EmbeddedPostgres,
  openEmbeddedPostgres,
  removeEmbeddedPostgres,
} from '../../../src/embedded-postgres/index.js';
import {
  canReach,
  postgresBinaries,
  serverUser,
  type ServerUser,
} from '../../../src/embedded-postgres/programs.js';
import { runningPostmaster } from '../../../src/embedded-postgres/server.js';
import { type Child, startChild } from '../../support/child.js';
import { noteProcess, runDirectory } from '../../support/run-directory.js';

const itAsRoot = process.getuid?.() === 0 ? it : it.skip;
const execFileAsync = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('embedded-user.ts', import.meta.url));

const opened: EmbeddedPostgres[] = [];
const children: Child[] = [];
const dataDirs: string[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.send('release');
    await child.exit();
  }
  for (const database of opened.splice(0)) await database.release();
  for (const dataDir of dataDirs.splice(0)) await removeEmbeddedPostgres(dataDir);
});

async function directory(mode: number): Promise<string> {
  const made = await mkdtemp(join(await realpath(runDirectory()), 'accounts-'));
  await chmod(made, mode);
  return made;
}

async function account(name: string): Promise<ServerUser> {
  const found = await serverUser('/no/cluster', [name]);
  if (!found) throw new Error(`no user ${name}`);
  return found;
}

async function open(dataDir: string, accounts: string[], lines: string[] = []): Promise<EmbeddedPostgres> {
  dataDirs.push(dataDir);
  const database = await openEmbeddedPostgres({ dataDir, accounts, log: (line) => lines.push(line) });
  opened.push(database);
  const clusterDir = await realpath(join(dataDir, 'postgres'));
  const running = await runningPostmaster(clusterDir);
  if (running) await noteProcess(running.pid, clusterDir);
  return database;
}

async function one(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query('SELECT 1 AS one')).rows[0];
  } finally {
    await client.end();
  }
}

describe('the embedded database and the users of the system', () => {
  itAsRoot('runs as nobody when this is root and there is no user postgres', async () => {
    const dataDir = join(await directory(0o755), 'data');
    const database = await open(dataDir, ['no-such-account', 'nobody']);
    expect(await one(database.url)).toEqual({ one: 1 });
    const nobody = await account('nobody');
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(nobody.uid);
    const running = await runningPostmaster(join(dataDir, 'postgres'));
    expect((await stat(`/proc/${running?.pid ?? 0}`)).uid).toBe(nobody.uid);
  });

  itAsRoot('says what to do when there is no user that it could run as', async () => {
    const dataDir = join(await directory(0o755), 'data');
    await expect(open(dataDir, ['no-such-account'])).rejects.toMatchObject({ code: 'misconfigured' });
  });

  itAsRoot(
    'puts the cluster where its user can reach it when a parent of dataDir is closed to others, and takes it away with the rest',
    async () => {
      const dataDir = join(await directory(0o700), 'data');
      const lines: string[] = [];
      const first = await open(dataDir, ['nobody'], lines);
      expect(await one(first.url)).toEqual({ one: 1 });
      expect((await lstat(join(dataDir, 'postgres'))).isSymbolicLink()).toBe(true);
      expect(lines.filter((line) => line.includes('the cluster is in'))).toHaveLength(1);
      await first.release();

      const second = await open(dataDir, ['nobody'], lines);
      expect(await one(second.url)).toEqual({ one: 1 });
      expect(lines.filter((line) => line.includes('the cluster is in'))).toHaveLength(1);
      await second.release();

      const clusterDir = await realpath(join(dataDir, 'postgres'));
      await removeEmbeddedPostgres(dataDir);
      await expect(stat(clusterDir)).rejects.toMatchObject({ code: 'ENOENT' });
      await expect(lstat(join(dataDir, 'postgres'))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  itAsRoot('starts a cluster that a person made as that person, also when root starts it', async () => {
    const nobody = await account('nobody');
    const parent = await directory(0o755);
    await chown(parent, nobody.uid, nobody.gid);
    const dataDir = join(parent, 'data');
    const child = startChild(PROGRAM, [dataDir], { uid: nobody.uid, gid: nobody.gid });
    children.push(child);
    expect(await one(await child.said('url '))).toEqual({ one: 1 });
    child.send('release');
    await child.said('released');
    await child.exit();
    children.splice(0);

    const database = await open(dataDir, ['postgres', 'nobody']);
    expect(await one(database.url)).toEqual({ one: 1 });
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(nobody.uid);
  });

  itAsRoot(
    'copies the programs to where their user can reach them, with the library links that are missing',
    async () => {
      const nobody = await account('nobody');
      const closed = await directory(0o700);
      const { postgres } = await postgresBinaries(null, () => undefined);
      const native = join(closed, 'package', 'native');
      await cp(join(postgres, '..', '..'), native, { recursive: true, verbatimSymlinks: true });
      await cp(join(postgres, '..', '..', '..', 'package.json'), join(closed, 'package', 'package.json'));
      await rm(join(native, 'lib', 'libpq.so.5'));
      const home = join(await directory(0o755), 'home');

      const lines: string[] = [];
      const copy = await postgresBinaries(nobody, (line) => lines.push(line), { native, home });
      expect(copy.postgres.startsWith(home)).toBe(true);
      expect(lines).toHaveLength(1);
      const { stdout } = await execFileAsync(copy.postgres, ['--version'], {
        uid: nobody.uid,
        gid: nobody.gid,
      });
      expect(stdout).toContain('PostgreSQL) 17');
      expect((await lstat(join(copy.postgres, '..', '..', 'lib', 'libpq.so.5'))).isSymbolicLink()).toBe(true);
    },
  );

  itAsRoot('runs no programs from a home that somebody else could write to', async () => {
    const nobody = await account('nobody');
    const planted = join(await directory(0o755), 'planted');
    await mkdir(planted);
    await chown(planted, nobody.uid, nobody.gid);
    const { postgres } = await postgresBinaries(null, () => undefined);
    const closed = await directory(0o700);
    const native = join(closed, 'package', 'native');
    await cp(join(postgres, '..', '..'), native, { recursive: true, verbatimSymlinks: true });
    await cp(join(postgres, '..', '..', '..', 'package.json'), join(closed, 'package', 'package.json'));
    await expect(postgresBinaries(nobody, () => undefined, { native, home: planted })).rejects.toMatchObject({
      code: 'misconfigured',
    });
  });

  itAsRoot('sees that a directory is closed to others above any link that leads to it', async () => {
    const nobody = await account('nobody');
    const closed = await directory(0o700);
    const reachable = await directory(0o755);
    expect(canReach(closed, nobody)).toBe(false);
    expect(canReach(reachable, nobody)).toBe(true);
    await mkdir(join(closed, 'inner'), { mode: 0o755 });
    await symlink(join(closed, 'inner'), join(reachable, 'link'));
    expect(canReach(join(reachable, 'link'), nobody)).toBe(false);
  });

  itAsRoot('never takes root for the user that runs it', async () => {
    const nobody = await account('nobody');
    expect(await serverUser('/no/cluster', ['root', 'nobody'])).toEqual(nobody);
    expect(nobody.uid).toBeGreaterThan(0);
  });

  it('prepares the same place again without doing anything', async () => {
    const dataDir = join(await directory(0o755), 'data');
    dataDirs.push(dataDir);
    const options = { dataDir, log: () => undefined };
    const first = await preparePlace(options);
    const made = await stat(join(first.clusterDir, 'PG_VERSION'));
    const second = await preparePlace(options);
    expect(second).toEqual({ ...first, user: second.user });
    expect(second.user?.uid).toBe(first.user?.uid);
    expect((await stat(join(second.clusterDir, 'PG_VERSION'))).ino).toBe(made.ino);
  });
});
