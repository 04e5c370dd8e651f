import type { DataSource } from 'typeorm';
import type { StoreInstallationEntity } from '../persistence/entities/index.js';
import { pendingMigrations } from '../persistence/data-source.js';
import { Database } from '../persistence/database.js';
import { StoreHealthRepository, type StandingPause } from '../persistence/store-health.repository.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { SYSTEM_CLOCK } from '../runtime/clock.js';
import { SILENT_LOGGER } from '../runtime/logger.js';
import { InstallationTokens } from '../connections/installation-tokens.js';
import { InstalledStores } from '../connections/installed-stores.js';
import type { Runtime } from './runtime.js';

/** The part of the stores that is in the database: installations with their tokens, and pauses. */
export interface KnownStores {
  readonly installed: InstalledStores;
  readonly installations: readonly StoreInstallationEntity[];
  pauseOf(store: string): Promise<StandingPause | null>;
}

/** Null while migrations are pending, because the tables may be missing. Throws when the database does not answer. */
export async function findKnownStores(runtime: Runtime, source: DataSource): Promise<KnownStores | null> {
  if ((await pendingMigrations(source)) > 0) return null;
  const database = new Database(source);
  const rows = new StoreInstallationRepository(database);
  const health = new StoreHealthRepository(database);
  const tokens = new InstallationTokens(runtime.config, rows, SYSTEM_CLOCK);
  const installed = new InstalledStores(rows, runtime.source, tokens, SILENT_LOGGER);
  await installed.look();
  const installations = await rows.all();
  return { installed, installations, pauseOf: (store) => health.standing(store) };
}
