import { Module, type DynamicModule, type Type } from '@nestjs/common';
import type { CommandRunner } from 'nest-commander';

/** Each command is loaded on demand, so that none waits for another's dependencies. */
const COMMANDS: Readonly<Record<string, () => Promise<Type<CommandRunner>>>> = {
  start: async () => (await import('./start.command.js')).StartCommand,
  demo: async () => (await import('./demo.command.js')).DemoCommand,
  init: async () => (await import('./init.command.js')).InitCommand,
  check: async () => (await import('./check.command.js')).CheckCommand,
  plan: async () => (await import('./plan.command.js')).PlanCommand,
  apply: async () => (await import('./apply.command.js')).ApplyCommand,
  sync: async () => (await import('./sync.command.js')).SyncCommand,
  status: async () => (await import('./status.command.js')).StatusCommand,
  runs: async () => (await import('./runs.command.js')).RunsCommand,
  deliveries: async () => (await import('./deliveries.command.js')).DeliveriesCommand,
  products: async () => (await import('./products.command.js')).ProductsCommand,
  audit: async () => (await import('./audit.command.js')).AuditCommand,
  retry: async () => (await import('./retry.command.js')).RetryCommand,
  drift: async () => (await import('./drift.command.js')).DriftCommand,
  generate: async () => (await import('./generate.command.js')).GenerateCommand,
  'write-backs': async () => (await import('./write-backs.command.js')).WriteBacksCommand,
  webhook: async () => (await import('./webhook.command.js')).WebhookCommand,
  migrate: async () => (await import('./migrate.command.js')).MigrateCommand,
  completion: async () => (await import('./completion.command.js')).CompletionCommand,
};
/** The completion script needs the options of all commands. */
const ABOUT_ALL = 'completion';
const VERSION = ['--version', '-V'];

@Module({})
export class CliModule {
  /**
   * Loads only the command that `word`, the first on the command line, names. Loads none for `--version`, and all for
   * anything else.
   */
  static async for(word?: string): Promise<DynamicModule> {
    const load = loaders(word);
    return { module: CliModule, providers: await Promise.all(load.map((command) => command())) };
  }
}

function loaders(word = ''): (() => Promise<Type<CommandRunner>>)[] {
  if (VERSION.includes(word)) return [];
  const called = Object.hasOwn(COMMANDS, word) && word !== ABOUT_ALL ? COMMANDS[word] : undefined;
  return called ? [called] : Object.values(COMMANDS);
}
