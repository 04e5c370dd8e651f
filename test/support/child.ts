import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A process of its own that says what it does on stdout, line by line. */
export class Child {
  /** Every line so far. */
  readonly lines: string[] = [];
  /** What it wrote to stderr so far, or the last part of that. */
  stderr = '';
  readonly #listeners = new Set<() => void>();
  readonly #closed: Promise<number | null>;
  #hasEnded = false;

  constructor(
    readonly process: ChildProcess,
    mostErrors = Infinity,
  ) {
    if (process.stdout === null || process.stderr === null) throw new Error('the process has no output');
    createInterface({ input: process.stdout }).on('line', (line) => {
      this.lines.push(line);
      this.#wake();
    });
    process.stderr.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString()).slice(-mostErrors);
    });
    this.#closed = once(process, 'close').then(() => {
      this.#hasEnded = true;
      this.#wake();
      return process.exitCode;
    });
  }

  /** The first line, past or to come, that `matches`. Fails when the process ends before. */
  async line(matches: (line: string) => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const line = this.lines.find(matches);
        if (line === undefined && !this.#hasEnded) return;
        this.#listeners.delete(look);
        if (line !== undefined) resolve(line);
        else reject(new Error(`it ended before it said so:\n${this.lines.join('\n')}\n${this.stderr}`));
      };
      this.#listeners.add(look);
      look();
    });
  }

  /** What follows `prefix` in the first line, past or to come, that starts with it. */
  async said(prefix: string): Promise<string> {
    return (await this.line((line) => line.startsWith(prefix))).slice(prefix.length);
  }

  /** Writes a line to its stdin. */
  send(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  /** Its exit status once it has ended; null when a signal ended it. */
  exit(): Promise<number | null> {
    return this.#closed;
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void {
    this.process.kill(name);
  }

  /** SIGKILL, and waits until it is gone. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.#closed;
  }

  get ended(): boolean {
    return this.#hasEnded;
  }

  #wake(): void {
    for (const listener of this.#listeners) listener();
  }
}

const LOADER = fileURLToPath(new URL('typescript-loader.mjs', import.meta.url));
const MOST_ERRORS = 4000;

/** Starts `program` (the path of a TypeScript file); the caller ends it. `uid` and `gid` are the account to run it as. */
export function startChild(
  program: string,
  args: readonly string[],
  options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
): Child {
  const child = spawn(process.execPath, ['--no-warnings', '--import', LOADER, program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...options,
  });
  return new Child(child, MOST_ERRORS);
}
