import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A TypeScript program of the tests in a process of its own, which says what it does on stdout, line by line. */
export interface Child {
  readonly process: ChildProcess;
  /** Every line so far. */
  readonly lines: readonly string[];
  /** The first line, past or to come, that starts with `prefix`, without it. Fails when the process ends before. */
  said(prefix: string): Promise<string>;
  /** Writes a line to its stdin. */
  send(line: string): void;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** Waits for its end. */
  exit(): Promise<number | null>;
  /** The last part of what it wrote to stderr. */
  errors(): string;
}

const LOADER = fileURLToPath(new URL('typescript-loader.mjs', import.meta.url));

/** Starts `program` (a path); the caller ends it. `account` is a uid and gid to run it as. */
export function startChild(
  program: string,
  args: readonly string[],
  options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
): Child {
  const child = spawn(process.execPath, ['--no-warnings', '--import', LOADER, program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...options,
  });
  const lines: string[] = [];
  let errors = '';
  let ended = false;
  const listeners = new Set<() => void>();
  const wake = (): void => {
    for (const listener of listeners) listener();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4000)));
  child.once('close', () => {
    ended = true;
    wake();
  });
  const exit = async (): Promise<number | null> => {
    if (!ended) await once(child, 'close');
    return child.exitCode;
  };
  return {
    process: child,
    lines,
    exit,
    errors: () => errors,
    send: (line) => void child.stdin.write(`${line}\n`),
    said: async (prefix) =>
      await new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find((candidate) => candidate.startsWith(prefix));
          if (line === undefined && !ended) return;
          listeners.delete(look);
          if (line === undefined)
            reject(new Error(`it ended without saying "${prefix}": ${lines.join('\n')}\n${errors}`));
          else resolve(line.slice(prefix.length));
        };
        listeners.add(look);
        look();
      }),
    kill: async () => {
      child.kill('SIGKILL');
      await exit();
    },
  };
}
