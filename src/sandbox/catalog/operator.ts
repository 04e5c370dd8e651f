import { Accounts } from './auth/accounts.js';
import { SandboxDatabase } from './database.js';
import { DEFAULT_SCHEMA } from './settings.js';
import type { SandboxLogger } from './logger.js';

export interface CatalogOperator {
  readonly accounts: Accounts;
  close(): Promise<void>;
}

/**
 * The operator's tasks on the database, beside a running sandbox or without one: tokens and users. Changes take
 * effect with the next request.
 */
export async function openCatalogOperator(options: {
  readonly databaseUrl: string;
  readonly schema?: string;
  readonly clock?: () => Date;
  readonly logger: SandboxLogger;
}): Promise<CatalogOperator> {
  const database = await SandboxDatabase.open(
    options.databaseUrl,
    options.schema ?? DEFAULT_SCHEMA,
    options.logger,
  );
  return {
    accounts: new Accounts(database, options.clock ?? (() => new Date())),
    close: () => database.close(),
  };
}
