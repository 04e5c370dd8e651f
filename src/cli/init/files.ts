import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CodedError } from '../../domain/errors.js';
import type { Written } from './written-configuration.js';

export interface Destination {
  readonly configFile: string;
  readonly secretsDir: string;
  /** Replaces files that exist. */
  readonly force: boolean;
  /** The user of the container, who must be able to read the files; absent where only their owner reads them. */
  readonly container?: number;
}

const ONLY_OWNER_FILE = 0o600;
const ONLY_OWNER_DIRECTORY = 0o700;

function replaces(path: string): string {
  return `${path} exists already: name another file with --out, or replace it with --force`;
}

/** Throws `invalid` when a file exists that must not be replaced. */
export function assertFree({ configFile, secretsDir, force }: Destination): void {
  if (force) return;
  const taken = [configFile, secretsDir].find((path) => existsSync(path));
  if (taken !== undefined) throw new CodedError('invalid', replaces(taken));
}

/**
 * Writes the secrets and then the configuration, each readable by its owner alone. A file that exists is replaced under `force`
 * only, in one step. Returns the paths. Throws `invalid` for a path that cannot be written.
 */
export async function writeFiles(written: Written, destination: Destination): Promise<string[]> {
  const { configFile, secretsDir } = destination;
  assertFree(destination);
  const files = [
    ...Object.entries(written.secrets).map(
      ([name, secret]) => [join(secretsDir, name), `${secret}\n`] as const,
    ),
    [configFile, written.yaml] as const,
  ];
  await named(secretsDir, async () => {
    await mkdir(secretsDir, { recursive: true, mode: ONLY_OWNER_DIRECTORY });
    await chmod(secretsDir, ONLY_OWNER_DIRECTORY);
    await mkdir(dirname(configFile), { recursive: true });
  });
  for (const [path, content] of files) await named(path, () => put(path, content, destination));
  return files.map(([path]) => path);
}

/** The secret that an earlier `init` wrote, or null. Throws `invalid` for a file that cannot be read. */
export async function earlierSecret(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim() || null;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ENOENT') return null;
    throw new CodedError('invalid', `${path} cannot be read (${code})`, { cause: error });
  }
}

/** `wx` follows no link and replaces nothing. */
async function put(path: string, content: string, { force, container }: Destination): Promise<void> {
  const temporary = force ? `${path}.new` : path;
  if (force) await rm(temporary, { force: true });
  await writeFile(temporary, content, { mode: ONLY_OWNER_FILE, flag: 'wx' });
  // Only root can give a file away. Others have to be that user.
  if (container !== undefined && process.getuid?.() === 0) await chown(temporary, container, container);
  if (force) await rename(temporary, path);
}

async function named(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const message = code === 'EEXIST' ? replaces(path) : `${path} cannot be written (${code})`;
    throw new CodedError('invalid', message, { cause: error });
  }
}
