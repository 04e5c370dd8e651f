import type { QueryRunner } from 'typeorm';
import { CatalogListingRows } from './catalog-listing.rows.js';
import { json, type Database } from './database.js';
import { PlanActions } from './plan-actions.js';
import { PlanCatalog } from './plan-catalog.js';
import { PlanOwed } from './plan-owed.js';
import { PlanReads } from './plan-reads.js';
import { PlanScratch } from './plan-scratch.js';
import { PlanSession, type PlannedRun } from './plan-session.js';

/**
 * SQL: measured. A first load fills tables that have no statistics yet, and the planner takes them for small. It would keep all identifiers
 * in memory and compare each action with each of them: 100,000 products were not planned after nine minutes. With this setting it looks
 * them up in their index.
 */
const SETTINGS = 'SET LOCAL enable_material = off';

/**
 * Planning in one transaction: what a run has read, what it plans and where the watermark moves become durable together, or
 * not at all. A dry run does the very same and rolls back. Scratch tables live in the session and write nothing.
 *
 * SQL: the watermark and the phase move only under the lease, in the transaction of the plan.
 */
export class PlanTransaction {
  readonly #beside: Promise<unknown>[] = [];

  private constructor(
    private readonly session: PlanSession,
    readonly reads: PlanReads,
    readonly actions: PlanActions,
    readonly catalog: PlanCatalog,
    readonly owed: PlanOwed,
    /** Listings on the connection of the plan: what it takes stays until it ends. */
    readonly listings: CatalogListingRows,
    /** Listings that all processes see, also while this transaction is open. */
    readonly sharedListings: CatalogListingRows,
    /** True when others must not see what it reads. */
    readonly isDry: boolean,
  ) {}

  /** `dry`: the run itself exists in this transaction only, beside whatever run is active. */
  static async begin(
    db: Database,
    run: PlannedRun,
    { dry = false, refreshMs }: { dry?: boolean; refreshMs?: number } = {},
  ): Promise<PlanTransaction> {
    const runner = db.dataSource.createQueryRunner();
    const session = new PlanSession(db, runner, dry ? { ...run, lease: null } : run, refreshMs);
    try {
      await runner.startTransaction();
      if (dry) {
        await session.affected(
          // SQL: a row that is rolled back, on the connection of the plan.
          `INSERT INTO sync_run (id, store, workspace, kind, trigger, state) VALUES ($1, $2, $3, 'full', 'command', 'failed')`,
          [run.id, run.store, run.workspace],
        );
      }
      const scratch = new PlanScratch(session);
      await scratch.make('seen', SETTINGS);
      const owed = new PlanOwed(session, scratch);
      return new PlanTransaction(
        session,
        new PlanReads(session, scratch),
        new PlanActions(session, owed),
        new PlanCatalog(session, scratch),
        owed,
        new CatalogListingRows(session),
        new CatalogListingRows(db),
        dry,
      );
    } catch (error) {
      await session.end();
      throw error;
    }
  }

  /** The transaction itself, for what ends it otherwise than `commit`: a saved plan that is carried out. */
  get transaction(): QueryRunner {
    return this.session.runner;
  }

  /**
   * Makes the plan durable in one transaction. Owed products of the read are settled, their older failures are
   * superseded, the watermark moves, and the run continues with apply. False when the run's lease was lost meanwhile:
   * nothing is kept then.
   */
  async commit(
    lease: string,
    end: {
      readFrom: Date;
      full: boolean;
      complete: boolean;
      proved: boolean;
      notCompared: string | null;
      counts: object;
    },
  ): Promise<boolean> {
    const { id, store } = this.session.run;
    await this.actions.supersedeOlder();
    await this.owed.settle(end.complete);
    // Guarded by the one active run of a store: the watermark never moves back.
    await this.session.affected(
      `INSERT INTO store_state (store, watermark, last_full_at) VALUES ($1, $2, CASE WHEN $3 THEN now() END)
       ON CONFLICT (store) DO UPDATE SET watermark = greatest(store_state.watermark, excluded.watermark),
         last_full_at = coalesce(excluded.last_full_at, store_state.last_full_at),
         incrementals_since_full = CASE WHEN $3 THEN 0 ELSE store_state.incrementals_since_full + 1 END`,
      [store, end.readFrom, end.full],
    );
    const moved = await this.session.affected(
      `UPDATE sync_run SET phase = 'apply', operation = NULL, unended = 1, counts = $3, identifiers_proved = $4,
         not_compared = $5 WHERE id = $1 AND lease = $2 AND state = 'running'`,
      [id, lease, json(end.counts), end.proved, end.notCompared],
    );
    if (moved !== 1) return false;
    await this.session.inTurn(() => this.session.runner.commitTransaction());
    return true;
  }

  /** Work on other connections that ends before `end` returns. An error of it is ignored. */
  beside(work: Promise<unknown>): void {
    this.#beside.push(work.catch(() => undefined));
  }

  /** Rolls back whatever was not committed and gives the connection back. */
  async end(): Promise<void> {
    await this.session.end();
    await Promise.all(this.#beside);
  }
}
