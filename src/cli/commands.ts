import type { StoreSyncCommand } from './command.js';

interface CommandEntry {
  /** The heading in the help. */
  readonly group: 'Start here' | 'Every day' | 'Repair' | 'Set up';
  readonly does: string;
  /** Loads the file that declares and implements the command, so that no command waits for the imports of another. */
  readonly load: () => Promise<new () => Pick<StoreSyncCommand, 'args' | 'options' | 'run'>>;
}

/** The table of contents of the command line: every command by its name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  demo: {
    group: 'Start here',
    does: 'runs the whole loop on this machine: embedded PostgreSQL, sandbox catalog and sandbox store',
    load: async () => (await import('./demo.command.js')).DemoCommand,
  },
  init: {
    group: 'Start here',
    does: 'asks for what is needed, tests each answer, and writes the configuration and its secrets',
    load: async () => (await import('./init.command.js')).InitCommand,
  },
  check: {
    group: 'Start here',
    does: 'reads the configuration, then tests each part of the setup',
    load: async () => (await import('./check.command.js')).CheckCommand,
  },
  start: {
    group: 'Start here',
    does: 'runs the daemon: HTTP server, schedules and queue workers',
    load: async () => (await import('./start.command.js')).StartCommand,
  },
  dashboard: {
    group: 'Start here',
    does: 'prints a link that opens the dashboard, signed in',
    load: async () => (await import('./dashboard.command.js')).DashboardCommand,
  },
  plan: {
    group: 'Every day',
    does: 'shows what a sync would do and why, product by product; writes nothing',
    load: async () => (await import('./plan.command.js')).PlanCommand,
  },
  apply: {
    group: 'Every day',
    does: 'applies a saved plan; entries that changed since then are rejected',
    load: async () => (await import('./apply.command.js')).ApplyCommand,
  },
  sync: {
    group: 'Every day',
    does: 'runs one sync to its end: extract, plan, apply, request generation',
    load: async () => (await import('./sync.command.js')).SyncCommand,
  },
  status: {
    group: 'Every day',
    does: 'shows stores, last runs, open work, what failed for good, and credits',
    load: async () => (await import('./status.command.js')).StatusCommand,
  },
  runs: {
    group: 'Every day',
    does: 'shows runs and their products by outcome, with reasons, and cancels a run',
    load: async () => (await import('./runs.command.js')).RunsCommand,
  },
  products: {
    group: 'Every day',
    does: "lists products with their states and reasons, and shows one product's timeline",
    load: async () => (await import('./products.command.js')).ProductsCommand,
  },
  'write-backs': {
    group: 'Every day',
    does: 'reviews and reverts write-backs to the store',
    load: async () => (await import('./write-backs.command.js')).WriteBacksCommand,
  },
  generate: {
    group: 'Every day',
    does: 'requests generation for the given products, or for all without content',
    load: async () => (await import('./generate.command.js')).GenerateCommand,
  },
  audit: {
    group: 'Every day',
    does: 'shows who changed what by API, dashboard and commands, newest first',
    load: async () => (await import('./audit.command.js')).AuditCommand,
  },
  retry: {
    group: 'Repair',
    does: 'ends the pause of a store and of its workspace: tries the store now, and wakes the work that waits for it',
    load: async () => (await import('./retry.command.js')).RetryCommand,
  },
  deliveries: {
    group: 'Repair',
    does: 'shows and replays webhook deliveries',
    load: async () => (await import('./deliveries.command.js')).DeliveriesCommand,
  },
  drift: {
    group: 'Repair',
    does: 'compares the live store with the journal, read-only: edited, overwritten, deleted or unpublished',
    load: async () => (await import('./drift.command.js')).DriftCommand,
  },
  catalog: {
    group: 'Set up',
    does: 'sends a CSV file of products to the catalog, and follows its import',
    load: async () => (await import('./catalog.command.js')).CatalogCommand,
  },
  webhook: {
    group: 'Set up',
    does: "shows, registers or removes the workspace's one webhook configuration",
    load: async () => (await import('./webhook.command.js')).WebhookCommand,
  },
  migrate: {
    group: 'Set up',
    does: 'applies migrations and stops',
    load: async () => (await import('./migrate.command.js')).MigrateCommand,
  },
};
