import type { Store } from '../connections/connections.js';
import { errorLine } from '../domain/errors.js';
import { CatalogListingRows } from '../persistence/catalog-listing.rows.js';
import type { Database } from '../persistence/database.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import type { Logger } from '../runtime/logger.js';
import { listingSince } from './run-hold.js';
import { LISTING_MAX_AGE_MS, readForAll } from './workspace-listing.js';

/** The catalog's listing, which a full run reads while its store makes the export. */
export interface EarlyListing {
  /**
   * Resolves at the end of the reading with the moment from which a listing serves the run; null when it was not read, and the plan takes
   * it later. Never rejects.
   */
  readonly read: Promise<Date | null>;
  /** Ends the reading, and removes the rows of one that has not come to its end. */
  readonly end: () => Promise<void>;
}

/** Begins to read the listing, unless one serves the run, or another process reads it. */
export function beginListing(
  db: Database,
  run: SyncRunEntity,
  store: Store,
  signal: AbortSignal,
  log: Logger,
): EarlyListing {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const read = readOnce(new CatalogListingRows(db), run, store, ended).catch((error: unknown) => {
    // The plan takes the listing later, and fails there when it cannot be read then.
    const facts = { runId: run.id, workspace: store.workspace.key, err: errorLine(error) };
    if (!ended.aborted) log.info(facts, 'the catalog’s listing could not be read early');
    return null;
  });
  return {
    read,
    end: async () => {
      stop.abort(new Error('the run needs no listing any more'));
      await read;
    },
  };
}

async function readOnce(
  rows: CatalogListingRows,
  run: SyncRunEntity,
  { workspace }: Store,
  signal: AbortSignal,
): Promise<Date | null> {
  const demand = { maxAgeMs: LISTING_MAX_AGE_MS, since: listingSince(run) };
  if ((await rows.present(workspace.key, demand, null)) !== null) return null;
  const asked = await rows.now();
  const serves = async (): Promise<boolean> => (await rows.present(workspace.key, demand, asked)) !== null;
  const read = await readForAll(rows, workspace, { signal }, undefined, serves);
  if (read === null) return null;
  // Retention removes what this does not.
  await rows.removeBefore(read.id, workspace.key).catch(() => undefined);
  return asked;
}
