import { Injectable } from '@nestjs/common';
import { NO_COUNTS } from '../domain/run-counts.js';
import { traced } from '../observability/tracing/tracing.js';
import { comparedBy } from '../persistence/compared-by.js';
import { Database } from '../persistence/database.js';
import { OwedRepository } from '../persistence/owed.repository.js';
import { Plan, PlanLostError } from '../persistence/plan.js';
import { RunRepository } from '../persistence/run.repository.js';
import { SidePauseRepository } from '../persistence/side-pause.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { Clock } from '../runtime/clock.js';
import { killPoint } from '../runtime/kill-point.js';
import { Logger } from '../runtime/logger.js';
import { namedStore, type Store } from '../connections/connections.js';
import { beginListing } from './early-listing.js';
import { storeIdsBesides, readAll, readChanges, type Extracted } from './extract.js';
import { planRead } from './planning.js';
import { enterStep, listingSince, type Hold } from './run-hold.js';

/** The first phase of a run: reads the store, plans what the catalog must learn, and makes the plan valid. */
@Injectable()
export class RunPlanner {
  readonly #log: Logger;

  constructor(
    private readonly db: Database,
    private readonly runs: RunRepository,
    private readonly owed: OwedRepository,
    private readonly pauses: SidePauseRepository,
    private readonly state: StateRepository,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'sync' });
  }

  async plan(hold: Hold, store: Store): Promise<void> {
    enterStep(hold, 'export', this.clock);
    // The connector throws when another shop answers.
    const shop = await store.connector.probe();
    await this.state.serves(store.key, shop.servedVersion);
    const named = namedStore(store, shop);
    const extracted = await traced('extract', {}, () => this.#read(hold, named));
    enterStep(hold, 'plan', this.clock);
    try {
      await this.#planRead(hold, named, extracted);
    } finally {
      await extracted.listing?.end();
    }
  }

  /** Reads what has changed since the watermark, or all of the store. */
  async #read({ run, lease, signal, onProgress }: Hold, store: Store): Promise<Extracted> {
    const watermark = run.kind === 'incremental' ? await this.state.watermark(store.key, store.scope) : null;
    if (watermark !== null || run.operation === null) {
      // An export that an earlier attempt has begun does not show what is announced since: those events wait for the next run.
      await this.runs.beginRead(run.id, lease);
    }
    if (watermark !== null)
      return {
        read: readChanges(store, watermark, storeIdsBesides(this.owed, store.key)),
        full: false,
        comparedBy: null,
      };
    const progress = {
      started: (handle: string | null) => this.runs.setOperation(run.id, lease, handle),
      waiting: (objects: number) => {
        onProgress({ phase: 'export', done: objects, total: null });
      },
    };
    const way = await comparedBy(this.db, run);
    const listing = way === 'listing' ? beginListing(this.db, run, store, signal, this.#log) : undefined;
    try {
      const read = await readAll(store, run.operation, progress, signal);
      return { read, full: true, comparedBy: way, listing };
    } catch (error) {
      await listing?.end();
      throw error;
    }
  }

  async #planRead(
    hold: Hold,
    store: Store,
    { read, full, comparedBy: way, listing }: Extracted,
  ): Promise<void> {
    const { run, lease, signal, onProgress } = hold;
    const { id, store: key, workspace } = run;
    const plan = await Plan.begin(this.db, { id, store: key, workspace, lease, isDry: false });
    try {
      // The extract is read during planning.
      const outcome = await traced('plan', {}, async (span) => {
        const made = await planRead(plan, store, read, {
          comparedBy: way,
          force: run.force,
          listing: {
            since: listingSince(run),
            early: listing?.read,
            clock: this.clock,
            signal,
          },
          onProgress: (seen) => {
            signal.throwIfAborted();
            hold.counts = { seen };
            onProgress({ phase: 'plan', done: seen, total: null });
          },
        });
        span.note({ 'run.seen': made.counts.seen, 'run.unchanged': made.counts.unchanged });
        return made;
      });
      await this.pauses.store.works(store.key, 'reads');
      // Only a full read is expected to show every product.
      const incomplete = full ? outcome.incomplete : null;
      if (incomplete !== null)
        this.#log.warn({ runId: run.id, store: store.key }, `nothing is marked as gone: ${incomplete}`);
      hold.counts = outcome.counts;
      killPoint('plan.planned');
      const kept = await plan.commit({
        full,
        scope: store.scope,
        incomplete,
        gone: outcome.gone,
        notCompared: outcome.notCompared,
        counts: { ...NO_COUNTS, ...outcome.counts },
      });
      if (!kept) throw new PlanLostError();
      killPoint('plan.committed');
      run.counts = { ...outcome.counts };
      hold.identifiersProved = outcome.proved;
      run.notCompared = outcome.notCompared;
      run.incomplete = incomplete;
    } catch (error) {
      // What is left is removed before the run is planned again.
      await plan.discard().catch(() => undefined);
      throw error;
    }
  }
}
