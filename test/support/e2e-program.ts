import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { noteProcess } from './run-directory.js';

const PROGRAM = fileURLToPath(new URL('../../bin/store-sync.js', import.meta.url));

export interface ProgramOptions {
  readonly cwd: string;
  /** The path of another installation's `bin/store-sync.js`; by default the checkout's own. */
  readonly program?: string;
  /** Beside PATH; nothing of the caller's own environment leaks in. */
  readonly env?: Readonly<Record<string, string>>;
  /** The command that starts the program, which follows as its arguments. */
  readonly launcher?: readonly string[];
}

export interface ProgramEnd {
  /** Null when a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built program as a process of its own. */
export class Program {
  /** Lines of stdout so far. */
  readonly lines: string[] = [];
  stderr = '';
  private readonly listeners = new Set<() => void>();
  private readonly closed: Promise<number | null>;
  private hasEnded = false;

  private constructor(readonly process: ChildProcess) {
    if (process.stdout === null || process.stderr === null) throw new Error('the program has no output');
    createInterface({ input: process.stdout }).on('line', (line) => {
      this.lines.push(line);
      this.wake();
    });
    process.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.closed = once(process, 'close').then(() => {
      this.hasEnded = true;
      this.wake();
      return process.exitCode;
    });
  }

  static async start(
    args: readonly string[],
    { cwd, program: path = PROGRAM, env = {}, launcher = [] }: ProgramOptions,
  ): Promise<Program> {
    const [file = process.execPath, ...rest] = [...launcher, process.execPath, path, ...args];
    const child = spawn(file, rest, {
      cwd,
      env: { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const program = new Program(child);
    const forget = await noteProcess(child.pid ?? 0, 'store-sync.js');
    void program.closed.then(forget);
    return program;
  }

  /** The first line of stdout, past or to come, that `matches`. Fails when the program ends before. */
  async said(matches: (line: string) => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const line = this.lines.find(matches);
        if (line === undefined && !this.hasEnded) return;
        this.listeners.delete(look);
        if (line !== undefined) resolve(line);
        else
          reject(new Error(`the program ended before it said so:\n${this.lines.join('\n')}\n${this.stderr}`));
      };
      this.listeners.add(look);
      look();
    });
  }

  /** Its exit status once it has ended; null when a signal ended it. */
  exit(): Promise<number | null> {
    return this.closed;
  }

  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): void {
    this.process.kill(name);
  }

  /** SIGKILL, and waits until it is gone. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.closed;
  }

  get ended(): boolean {
    return this.hasEnded;
  }

  private wake(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Runs one command to its end. `started` sees it while it runs. */
export async function runProgram(
  args: readonly string[],
  options: ProgramOptions,
  started: (program: Program) => void = () => undefined,
): Promise<ProgramEnd> {
  const program = await Program.start(args, options);
  started(program);
  const status = await program.exit();
  return {
    status,
    stdout: program.lines.map((line) => `${line}\n`).join(''),
    stderr: program.stderr,
  };
}
