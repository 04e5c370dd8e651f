import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Child } from './child.js';
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
export class Program extends Child {
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
    void program.exit().then(forget);
    return program;
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
