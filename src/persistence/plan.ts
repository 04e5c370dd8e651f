import { CodedError } from '../domain/errors.js';
import { CatalogListingRows } from './catalog-listing.rows.js';
import { json, type Database } from './database.js';
import { PlanActions } from './plan-actions.js';
import { PlanIdentities } from './plan-identities.js';
import { PlanReads } from './plan-reads.js';
import type { PlanEnd, PlannedRun } from './plan-rows.js';
import { claimIdentifiers, settleOwed } from './plan-settlement.js';
import { discardDrafts, removeNotes } from './plan-drafts.js';

/**
 * The plan of one run. Its actions are drafts under the run, which nobody else looks at. They are written batch by batch, while the store
 * and the catalog are read. `commit` makes all of it valid in one short transaction. What a plan leaves that is never committed is removed
 * before its run is planned again, and with the run.
 */
export class Plan {
  readonly reads: PlanReads;
  readonly actions: PlanActions;
  readonly identities: PlanIdentities;
  readonly listings: CatalogListingRows;
  /** The listings that the plan has used. */
  readonly #used = new Set<string>();

  private constructor(
    private readonly db: Database,
    readonly run: PlannedRun,
  ) {
    this.reads = new PlanReads(db, run);
    this.actions = new PlanActions(db, run);
    this.identities = new PlanIdentities(db, run);
    this.listings = new CatalogListingRows(db);
  }

  /** Begins a plan from nothing: the drafts of an earlier attempt are removed. */
  static async begin(db: Database, run: PlannedRun): Promise<Plan> {
    await discardDrafts(db, run);
    return new Plan(db, run);
  }

  /** Goes on with a plan that was made earlier. */
  static of(db: Database, run: PlannedRun): Plan {
    return new Plan(db, run);
  }

  /** Removes what the plan has written. */
  async discard(): Promise<void> {
    await discardDrafts(this.db, this.run);
  }

  /** Keeps the listing that the plan is compared with until the plan is made. Throws `PlanLostError` when another worker has the run. */
  async useListing(id: string): Promise<void> {
    const { id: runId, lease } = this.run;
    const held = await this.db.moves(
      // SQL: guarded by the lease of the run.
      'UPDATE sync_run SET listing_id = $3 WHERE id = $1 AND lease = $2',
      [runId, lease, id],
    );
    if (!held) throw new PlanLostError();
    this.#used.add(id);
    if (!this.run.isDry) await this.listings.markOfDryRuns(id, false);
  }

  /** The plan has read this listing itself. Other runs may use it too. */
  async hasRead(id: string): Promise<void> {
    await this.useListing(id);
    if (this.run.isDry) await this.listings.markOfDryRuns(id, true);
    else await this.listings.removeBefore(id, this.run.workspace);
  }

  /**
   * Removes what dry runs alone have read of the catalog, unless another one still uses it: a dry run leaves every table as it was. Of
   * several at once, the last removes it.
   */
  async forgetListings(): Promise<void> {
    const { id, lease } = this.run;
    // SQL: guarded by the lease of the run.
    await this.db.affected('UPDATE sync_run SET listing_id = NULL WHERE id = $1 AND lease = $2', [id, lease]);
    for (const listing of this.#used) await this.listings.removeOfDryRuns(listing);
  }

  /**
   * Makes the plan valid in one transaction. Owed products of the read are settled, older failures are superseded, identifiers are claimed,
   * the watermark moves, and the run continues with apply. False when the run's lease was lost meanwhile: nothing is changed then.
   * Throws `transient` when the listing that the plan was compared with is gone.
   */
  async commit(end: PlanEnd): Promise<boolean> {
    const { id, store, lease } = this.run;
    const { full, gone, incomplete } = end;
    const complete = full && incomplete === null;
    const committed = await this.db
      .transaction(async (runner) => {
        await this.actions.supersedeOlder(runner);
        await settleOwed(this.db, this.run, { complete, gone }, runner);
        await claimIdentifiers(this.db, this.run, runner);
        await this.actions.become(runner);
        // Guarded by the one active run of a store: the watermark never moves back.
        await this.db.affected(
          `INSERT INTO store_state (store, watermark, watermark_scope, last_full_at, incrementals_since_full)
           SELECT $2, read_from, $4, CASE WHEN $3 THEN now() END, (NOT $3 AND trigger = 'schedule')::int FROM sync_run WHERE id = $1
           ON CONFLICT (store) DO UPDATE SET watermark = greatest(store_state.watermark, excluded.watermark),
             watermark_scope = excluded.watermark_scope,
             last_full_at = coalesce(excluded.last_full_at, store_state.last_full_at),
             incrementals_since_full = CASE WHEN $3 THEN 0
               ELSE store_state.incrementals_since_full + excluded.incrementals_since_full END`,
          [id, store, full, end.scope],
          runner,
        );
        const moved = await this.db.moves(
          // SQL: the fence. It is last, so that whatever the transaction did was done under the lease.
          `UPDATE sync_run SET phase = 'apply', operation = NULL, crash_count = 1, counts = $3,
             not_compared = $4, incomplete = $5 WHERE id = $1 AND lease = $2 AND state = 'running' AND phase = 'extract'
             AND (listing_id IS NULL OR EXISTS (SELECT 1 FROM catalog_listing WHERE id = listing_id))`,
          [id, lease, json(end.counts), end.notCompared, incomplete],
          runner,
        );
        if (!moved) throw new NotCommitted();
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof NotCommitted) return false;
        throw error;
      });
    if (!committed) {
      await this.#assertListing();
      return false;
    }
    // The plan is valid without this deletion. Rows that a failure leaves are deleted by retention.
    await removeNotes(this.db, id).catch(() => undefined);
    return true;
  }

  async #assertListing(): Promise<void> {
    const { id, lease } = this.run;
    const lost = await this.db.moves(
      // SQL: guarded by the lease, and an anti-join with the listing.
      `UPDATE sync_run SET listing_id = NULL WHERE id = $1 AND lease = $2 AND state = 'running' AND listing_id IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM catalog_listing WHERE id = listing_id)`,
      [id, lease],
    );
    if (lost) throw new CodedError('transient', 'the catalog’s listing was removed while the plan was made');
  }
}

/** Another worker has the run of a plan. */
export class PlanLostError extends Error {
  constructor() {
    super('another worker took the run over');
  }
}

/** Thrown to roll the transaction back. */
class NotCommitted extends Error {}
