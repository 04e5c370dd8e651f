import type { StoreSyncCommand } from '../../src/cli/command.js';
import type { World } from './e2e-world.js';

export interface CommandEnd {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Loaded when they run: nest-commander is CommonJS, and the runtime refuses to load it in one go with Nest's own modules. */
const COMMANDS = {
  apply: async () => (await import('../../src/cli/apply.command.js')).ApplyCommand,
  check: async () => (await import('../../src/cli/check.command.js')).CheckCommand,
  deliveries: async () => (await import('../../src/cli/deliveries.command.js')).DeliveriesCommand,
  drift: async () => (await import('../../src/cli/drift.command.js')).DriftCommand,
  init: async () => (await import('../../src/cli/init.command.js')).InitCommand,
  generate: async () => (await import('../../src/cli/generate.command.js')).GenerateCommand,
  plan: async () => (await import('../../src/cli/plan.command.js')).PlanCommand,
  products: async () => (await import('../../src/cli/products.command.js')).ProductsCommand,
  sync: async () => (await import('../../src/cli/sync.command.js')).SyncCommand,
  status: async () => (await import('../../src/cli/status.command.js')).StatusCommand,
  webhook: async () => (await import('../../src/cli/webhook.command.js')).WebhookCommand,
  'write-backs': async () => (await import('../../src/cli/write-backs.command.js')).WriteBacksCommand,
} satisfies Readonly<Record<string, () => Promise<new () => StoreSyncCommand<never>>>>;

export type CommandName = keyof typeof COMMANDS;

/** Runs a command of the sources in this process, with the world's configuration; what it prints is caught. */
export async function runCommand(
  world: World,
  name: CommandName,
  args: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
): Promise<CommandEnd> {
  return runWith(world.env, name, args, { config: world.configFile, ...options });
}

/** Runs a command of the sources in this process, with these variables and options. */
export async function runWith(
  env: Readonly<Record<string, string>>,
  name: CommandName,
  args: readonly string[],
  options: Readonly<Record<string, unknown>>,
): Promise<CommandEnd> {
  await import('@nestjs/common');
  const Command = await COMMANDS[name]();
  const printed = { stdout: '', stderr: '' };
  const restore = [catching('stdout', printed), catching('stderr', printed), withEnvironment(env)];
  const before = process.exitCode;
  try {
    const command: Runnable = new Command();
    await command.run([...args], options);
    return { status: Number(process.exitCode ?? 0), ...printed };
  } finally {
    process.exitCode = before;
    for (const undo of restore) undo();
  }
}

interface Runnable {
  run(args: string[], options: object): Promise<void>;
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
