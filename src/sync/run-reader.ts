import { Injectable } from '@nestjs/common';
import { Database } from '../persistence/database.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { OwedRepository } from '../persistence/owed.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import type { Store } from '../connections/connections.js';
import { Logger } from '../runtime/logger.js';
import { owedStoreIds, readAll, readChanges, type Extracted } from './extract.js';
import { beginListing } from './early-listing.js';
import type { Hold } from './run-hold.js';

/** Reads the store of a run: what has changed since the watermark, or all of it. */
@Injectable()
export class RunReader {
  readonly #log: Logger;

  constructor(
    private readonly runs: RunRepository,
    private readonly state: StateRepository,
    private readonly owed: OwedRepository,
    private readonly links: LinkRepository,
    private readonly db: Database,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'sync' });
  }

  async read({ run, lease, signal, onProgress }: Hold, store: Store): Promise<Extracted> {
    const known = run.kind === 'incremental' ? await this.state.store(store.key) : null;
    const watermark = known?.watermark ?? null;
    if (watermark !== null || run.operation === null) {
      // An export that an earlier attempt has begun does not show what is announced since: those events wait for the next run.
      await this.runs.beginRead(run.id, lease);
    }
    if (watermark !== null)
      return { read: readChanges(store, watermark, owedStoreIds(this.owed, store.key)), full: false };
    const progress = {
      started: (handle: string | null) => this.runs.setOperation(run.id, lease, handle),
      waiting: (objects: number) => {
        onProgress({ phase: 'export', done: objects, total: null });
      },
    };
    const listing = beginListing(this.db, this.links, run, store, signal, this.#log);
    try {
      return { read: await readAll(store, run.operation, progress, signal), full: true, listing };
    } catch (error) {
      await listing.end();
      throw error;
    }
  }
}
