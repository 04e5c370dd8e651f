import { Accounts } from './auth/accounts.js';
import { SandboxDatabase } from './database.js';
import { DEFAULT_SCHEMA } from './settings.js';
import type { SandboxLogger } from './logger.js';

export interface CatalogOperator {
  readonly accounts: Accounts;
  close(): Promise<void>;
}

/**
 * What the operator does on the database alone, beside a running sandbox or without one: tokens and users. Whatever it changes
 * holds from the next request on.
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
