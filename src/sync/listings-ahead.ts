import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import { errorLine } from '../domain/errors.js';
import { CatalogListingRows, type CatalogListing } from '../persistence/catalog-listing.rows.js';
import { Database } from '../persistence/database.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { LinkRepository } from '../persistence/link.repository.js';
import { Logger } from '../runtime/logger.js';
import type { Store, Workspace } from '../connections/connections.js';
import { listingSince } from './run-hold.js';
import { readForAll } from './workspace-listing.js';

interface ReadingAhead {
  readonly runId: string;
  /** Resolves at the end of the reading with the moment at which it was asked for, by the database's clock; null when it failed. */
  readonly asked: Promise<Date | null>;
  /** The listings before it are removed after it. Never rejects. */
  removal: Promise<void>;
  isOver: boolean;
}

/**
 * Reads the catalog's listing while the store of a full run makes its export. A reading belongs to the process: a run that lets others
 * have its worker, or that is cancelled, leaves it to all runs of the workspace. One per workspace at a time.
 */
@Injectable()
export class ListingsAhead implements BeforeApplicationShutdown {
  readonly #log: Logger;
  readonly #stop = new AbortController();
  readonly #turns = new Map<string, LimitFunction>();
  /** The last one of each workspace. */
  readonly #readings = new Map<string, ReadingAhead>();

  constructor(
    private readonly db: Database,
    private readonly links: LinkRepository,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'sync' });
  }

  /** Begins to read the listing, unless one serves the run, this process reads it, or nothing of the store is linked yet. */
  async begin(run: SyncRunEntity, { key, workspace }: Store): Promise<void> {
    const isStarted = (): boolean => {
      const last = this.#readings.get(workspace.key);
      return last?.isOver === false || last?.runId === run.id || this.#stop.signal.aborted;
    };
    if (isStarted()) return;
    const rows = new CatalogListingRows(this.db);
    const demand = { maxAgeMs: workspace.settings.listingMaxAgeMinutes * 60_000, since: listingSince(run) };
    if ((await rows.present(workspace.key, demand, null)) !== null || !(await this.links.hasLinked(key)))
      return;
    const asked = await rows.now();
    if (isStarted()) return;
    const serves = async (): Promise<boolean> => (await rows.present(workspace.key, demand, asked)) !== null;
    const reading: ReadingAhead = {
      runId: run.id,
      asked: this.#read(run.id, workspace, rows, serves).then((read) => {
        reading.isOver = true;
        // Retention removes what this does not.
        if (read !== null) reading.removal = rows.removeBefore(read.id, workspace.key).catch(() => undefined);
        return read === null ? null : asked;
      }),
      removal: Promise.resolve(),
      isOver: false,
    };
    this.#readings.set(workspace.key, reading);
  }

  /**
   * The reading that the run began: resolves at its end with the moment from which a listing serves the run, or with null when it failed.
   * Never rejects. Undefined when the run began none in this process.
   */
  of(runId: string, { key }: Workspace): Promise<Date | null> | undefined {
    const last = this.#readings.get(key);
    return last?.runId === runId ? last.asked : undefined;
  }

  /** Lets one run of the process after the other take the listing of the workspace. */
  inTurn<T>({ key }: Workspace, take: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(key) ?? pLimit(1);
    this.#turns.set(key, turn);
    return turn(take);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort(new Error('the process is shutting down'));
    for (const reading of this.#readings.values()) {
      await reading.asked;
      await reading.removal;
    }
  }

  /** Null when this process did not read it to its end. Never rejects. */
  async #read(
    runId: string,
    workspace: Workspace,
    rows: CatalogListingRows,
    serves: () => Promise<boolean>,
  ): Promise<CatalogListing | null> {
    try {
      return await readForAll(rows, workspace, { signal: this.#stop.signal }, undefined, serves);
    } catch (error) {
      // The run takes the listing later, and fails there when it cannot be read then.
      const facts = { runId, workspace: workspace.key, err: errorLine(error) };
      this.#log.info(facts, 'the catalog’s listing could not be read ahead');
      return null;
    }
  }
}
