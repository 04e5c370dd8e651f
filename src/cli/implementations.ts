import type { CommandName } from './commands.js';

/** The part of a command that runs: see `StoreSyncCommand`. */
interface RunnableCommand {
  run(args: string[], options: object): Promise<void>;
}

/** Loads a command when it runs, so that none waits for the dependencies of another. */
export const IMPLEMENTATIONS: Readonly<Record<CommandName, () => Promise<new () => RunnableCommand>>> = {
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
