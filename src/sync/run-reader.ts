import { Injectable } from '@nestjs/common';
import { OwedRepository } from '../persistence/owed.repository.js';
import { RunRepository } from '../persistence/run.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import type { Store } from '../connections/connections.js';
import { owedStoreIds, readAll, readChanges, type Extracted } from './extract.js';
import { ListingsAhead } from './listings-ahead.js';
import type { Hold } from './run-hold.js';

/** Reads the store of a run: what has changed since the watermark, or all of it. */
@Injectable()
export class RunReader {
  constructor(
    private readonly runs: RunRepository,
    private readonly state: StateRepository,
    private readonly owed: OwedRepository,
    private readonly listingsAhead: ListingsAhead,
  ) {}

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
    // A run that adopts an export had it begun with the export.
    if (run.operation === null) await this.listingsAhead.begin(run, store);
    return { read: await readAll(store, run.operation, progress, signal), full: true };
  }
}
