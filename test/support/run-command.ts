import { CommanderError } from 'commander';
import { COMMANDS } from '../../src/cli/commands.js';
import { buildProgram } from '../../src/cli/program.js';
import { reportError } from '../../src/cli/report.js';
import { runSchema, type Run, type World } from './e2e-world.js';

export interface CommandEnd {
  /** Null when a signal ended a process. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command of the sources in this process, with the world's configuration; what it prints is caught. */
export async function runCommand(
  world: World,
  name: string,
  args: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
): Promise<CommandEnd> {
  return runWith(world.env, name, args, { config: world.configFile, ...options });
}

/**
 * `sync --json` of the first store in this process, for tests of what a run does and not of the program: a process of its own takes a
 * second to start.
 */
export async function syncHere(
  world: World,
  options: { readonly full?: boolean; readonly force?: boolean } = {},
): Promise<{ readonly status: number | null; readonly run: Run }> {
  const end = await runCommand(world, 'sync', [], { store: 'main', json: true, ...options });
  if (end.stdout === '') throw new Error(`sync printed nothing: ${end.stderr}`);
  return { status: end.status, run: runSchema.parse(JSON.parse(end.stdout)) };
}

/** The command line of the sources in this process, as `World.run` has it in a process of its own. `env` goes over the world's. */
export async function runLine(
  world: World,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandEnd> {
  return caught({ ...world.env, ...env }, async () => {
    try {
      const program = await buildProgram('0.0.0', (name) => args.includes(name));
      await program.parseAsync(args, { from: 'user' });
    } catch (error) {
      process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
      if (!(error instanceof CommanderError)) reportError(error);
    }
  });
}

/** Runs a command of the sources in this process, with these variables and options. */
export async function runWith(
  env: Readonly<Record<string, string>>,
  name: string,
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandEnd> {
  const Command = await COMMANDS[name]?.load();
  if (!Command) throw new Error(`no command ${name}`);
  return caught(env, () => new Command().run([...args], options));
}

/** What `work` prints, and the exit status that it sets. */
async function caught(env: Readonly<Record<string, string>>, work: () => Promise<void>): Promise<CommandEnd> {
  const printed = { stdout: '', stderr: '' };
  const restore = [catching('stdout', printed), catching('stderr', printed), withEnvironment(env)];
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await work();
    return { status: process.exitCode, ...printed };
  } finally {
    process.exitCode = before;
    for (const undo of restore) undo();
  }
}

function catching(name: 'stdout' | 'stderr', printed: Record<'stdout' | 'stderr', string>): () => void {
  const stream = process[name];
  const own = Object.getOwnPropertyDescriptor(stream, 'write');
  Object.defineProperty(stream, 'write', {
    configurable: true,
    value: (text: string | Uint8Array) => {
      printed[name] += Buffer.from(text).toString();
      return true;
    },
  });
  return () => {
    if (own) Object.defineProperty(stream, 'write', own);
    else Reflect.deleteProperty(stream, 'write');
  };
}

function withEnvironment(env: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  };
}
