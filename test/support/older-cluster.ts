import { chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { PostgresBinaries } from '../../src/embedded-postgres/binaries.js';
import { SUPERUSER } from '../../src/embedded-postgres/cluster.js';
import { runProgram } from '../../src/embedded-postgres/program.js';
import type { ServerUser } from '../../src/embedded-postgres/server-user.js';

/** The first version with the locale provider that the embedded PostgreSQL uses. */
const BUILTIN_LOCALES_FROM = 17;

export function isOlder({ version }: PostgresBinaries): boolean {
  return Number(version.split('.')[0]) < BUILTIN_LOCALES_FROM;
}

/** Makes the same as `ensureCluster`, by a PostgreSQL that does not know all of its options. */
export async function makeOlderCluster(
  clusterDir: string,
  { binaries, user }: { readonly binaries: PostgresBinaries; readonly user: ServerUser | null },
): Promise<void> {
  const password = randomBytes(24).toString('hex');
  const passwordFile = `${clusterDir}.password`;
  const owned = async (path: string): Promise<void> => {
    if (user !== null) await chown(path, user.uid, user.gid);
  };
  await mkdir(clusterDir, { mode: 0o700 });
  await owned(clusterDir);
  await writeFile(passwordFile, password, { mode: 0o600 });
  await owned(passwordFile);
  const options = {
    pgdata: clusterDir,
    username: SUPERUSER,
    pwfile: passwordFile,
    auth: 'scram-sha-256',
    encoding: 'UTF8',
    locale: 'C.UTF-8',
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const result = await runProgram(binaries.initdb, [...args, '--no-sync'], {
    user,
    cwd: dirname(clusterDir),
    timeoutMs: 60_000,
  });
  if (result.exitCode !== 0) throw new Error(`initdb failed: ${result.output}`);
  const secret = join(clusterDir, 'store-sync.json');
  await writeFile(secret, JSON.stringify({ password }), { mode: 0o600 });
  await owned(secret);
}
