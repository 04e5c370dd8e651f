import type { StoreInstallationEntity } from '../persistence/entities/index.js';
import { openDataSource, pendingMigrations } from '../persistence/data-source.js';
import { Database } from '../persistence/database.js';
import { StoreHealthRepository, type StandingPause } from '../persistence/store-health.repository.js';
import { StoreInstallationRepository } from '../persistence/store-installation.repository.js';
import { SYSTEM_CLOCK } from '../runtime/clock.js';
import { SILENT_LOGGER } from '../runtime/logger.js';
import { InstallationTokens } from '../sites/installation-tokens.js';
import { InstalledStores } from '../sites/installed-stores.js';
import type { Runtime } from './runtime.js';

/** The part of the stores that is in the database: installations with their tokens, and pauses. */
export interface KnownStores {
  readonly installed: InstalledStores;
  readonly installations: readonly StoreInstallationEntity[];
  pauseOf(store: string): Promise<StandingPause | null>;
  close(): Promise<void>;
}

/** Null while migrations are pending, because the tables may be missing. Throws when the database does not answer. */
export async function openKnownStores(runtime: Runtime): Promise<KnownStores | null> {
  const source = await openDataSource({ url: runtime.databaseUrl, poolSize: 2 });
  const close = (): Promise<void> => source.destroy();
  try {
    if ((await pendingMigrations(source)) > 0) {
      await close();
      return null;
    }
    const database = new Database(source);
    const rows = new StoreInstallationRepository(database);
    const health = new StoreHealthRepository(database);
    const tokens = new InstallationTokens(runtime.config, rows, SYSTEM_CLOCK);
    const installed = new InstalledStores(rows, runtime.source, tokens, SILENT_LOGGER);
    await installed.look();
    const installations = await rows.all();
    return { installed, installations, pauseOf: (store) => health.standing(store), close };
  } catch (error) {
    await close();
    throw error;
  }
}
