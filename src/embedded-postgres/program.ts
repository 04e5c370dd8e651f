import { spawn } from 'node:child_process';
import { CodedError } from '../domain/errors.js';
import type { ServerUser } from './server-user.js';

export interface ProgramOptions {
  readonly user: ServerUser | null;
  readonly cwd: string;
  readonly timeoutMs: number;
}

export interface ProgramResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  /** The last 4000 characters of stdout and stderr together. */
  readonly output: string;
}

const OUTPUT_LIMIT = 4000;

/**
 * The complete environment of the database programs. The caller's PGDATA, PGPORT, LD_PRELOAD and similar variables
 * would otherwise affect them. Windows programs cannot open a socket without their system variables.
 */
export function serverEnvironment(): NodeJS.ProcessEnv | undefined {
  return process.platform === 'win32' ? undefined : { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** uid and gid for `spawn`; empty when the program runs as the current user. */
export function asUser(user: ServerUser | null): { uid?: number; gid?: number } {
  return user === null ? {} : { uid: user.uid, gid: user.gid };
}

/**
 * Runs one of PostgreSQL's programs to its end and returns any exit code. Throws `misconfigured` when it cannot be
 * executed at all (no permission, another C library), and `transient` when it exceeds `timeoutMs`.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions,
): Promise<ProgramResult> {
  return await new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: serverEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
      ...asUser(options.user),
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_LIMIT);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (cause) => {
      reject(
        new CodedError('misconfigured', `${file} cannot be run${cannotRunHint(options.user)}`, { cause }),
      );
    });
    // Not at 'close': processes that it started may keep its output open.
    child.once('exit', () => {
      if (child.killed)
        reject(new CodedError('transient', `${file} did not end within ${options.timeoutMs} ms`));
    });
    child.once('close', (exitCode) => {
      resolve({ exitCode, output });
    });
  });
}

function cannotRunHint(user: ServerUser | null): string {
  const who = user === null ? '' : ` by the user ${user.name}`;
  return `${who} (the bundled PostgreSQL needs glibc on Linux; set DATABASE_URL to use another server)`;
}
