import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CodedError, errorLine } from '../domain/errors.js';
import { NO_COUNTS } from '../domain/run-counts.js';
import { ActionRepository } from '../persistence/action.repository.js';
import { Database } from '../persistence/database.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { OwedRepository } from '../persistence/owed.repository.js';
import { Plan, PlanLostError } from '../persistence/plan.js';
import { RunRepository, type RunEnd } from '../persistence/run.repository.js';
import { DatabaseAwayError } from '../persistence/statement-error.js';
import { StateRepository } from '../persistence/state.repository.js';
import { killPoint } from '../runtime/kill-point.js';
import { StoreEventRepository } from '../persistence/store-event.repository.js';
import { Sites, type Store } from '../sites/sites.js';
import { traced, type OpenSpan } from '../observability/tracing/tracing.js';
import { Clock } from '../runtime/clock.js';
import { tallied } from '../runtime/request-tally.js';
import { Logger } from '../runtime/logger.js';
import { repeatFor } from '../runtime/time-limit.js';
import { Applier } from './apply.js';
import { BackgroundCreations } from './background-creations.js';
import { owedStoreIds, productOfEvent, readAll, readChanges, type Extracted } from './extract.js';
import { GenerationRequester } from './generation.js';
import { ListingsAhead } from './listings-ahead.js';
import { Outage } from './outage.js';
import { planRead } from './planning.js';
import { listingSince, RunCancelledError, type Hold, type RunProgress, type WorkedTurn } from './run-hold.js';
import { applyOutcome, RunEnds, type ApplyOutcome } from './run-ends.js';
import { RunSteps } from './run-steps.js';
import { SidePauses } from './side-pauses.js';
import { TURN_MS, TurnOverError, WorkerTurn } from './worker-turn.js';
import { ListingBusyError } from './workspace-listing.js';

const LEASE_MS = 20_000;
const HEARTBEAT_MS = 5_000;
/** A run that killed its worker this often is given up; the next one reads and plans again. */
const CRASHES_MOST = 10;
/** How long a run waits for what the catalog creates in its background; reconcile follows what is left. */
const CREATIONS_WAIT_MS = 240_000;

/**
 * Processes runs to their end. A worker holds a run by a lease and does the phase in the run's row. After a crash the
 * next worker continues there.
 */
@Injectable()
export class RunWorker {
  readonly #log: Logger;

  constructor(
    private readonly db: Database,
    private readonly sites: Sites,
    private readonly runs: RunRepository,
    private readonly actions: ActionRepository,
    private readonly state: StateRepository,
    private readonly pauses: SidePauses,
    private readonly events: StoreEventRepository,
    private readonly owed: OwedRepository,
    private readonly listingsAhead: ListingsAhead,
    private readonly applier: Applier,
    private readonly creations: BackgroundCreations,
    private readonly generation: GenerationRequester,
    private readonly ends: RunEnds,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'sync' });
  }

  /**
   * Processes one run and returns it as it ended, or null when another worker has it. Aborting `signal` hands the run
   * over: it keeps its id, and the next worker resumes it.
   */
  async work(
    runId: string,
    signal: AbortSignal,
    onProgress: (progress: RunProgress) => void = () => undefined,
  ): Promise<SyncRunEntity | null> {
    const lease = randomUUID();
    const heldUntilMs = performance.now() + LEASE_MS;
    const run = await this.runs.claim(runId, lease, LEASE_MS);
    if (run === null) return null;
    return this.#traced({ run, lease, heldUntilMs, turn: null }, signal, onProgress);
  }

  /**
   * Works the run that is due longest, in any store. While others wait, a run that awaits its store's export or applies its plan lets
   * them have the worker after ten seconds, and goes on later. A run that needs the catalog's listing while another run reads it does so
   * at once. So large runs share, and small ones do not wait for them.
   */
  async workNext(signal: AbortSignal, turnMs = TURN_MS): Promise<WorkedTurn> {
    const lease = randomUUID();
    const heldUntilMs = performance.now() + LEASE_MS;
    const run = await this.runs.claimNext(lease, LEASE_MS);
    if (run === null) return { kind: (await this.runs.someWaitForListing()) ? 'waiting' : 'none' };
    const turn = new WorkerTurn(this.runs, turnMs);
    const ended = await this.#traced({ run, lease, heldUntilMs, turn }, signal, () => undefined);
    return ended === null ? { kind: 'handed_on' } : { kind: 'ended', run: ended };
  }

  #traced(
    claimed: Pick<Hold, 'run' | 'lease' | 'heldUntilMs' | 'turn'>,
    signal: AbortSignal,
    onProgress: (progress: RunProgress) => void,
  ): Promise<SyncRunEntity | null> {
    const { id, store, kind, trigger } = claimed.run;
    const facts = { 'run.id': id, store, 'run.kind': kind, 'run.trigger': trigger };
    return traced('run', facts, (span) => this.#hold(claimed, signal, onProgress, span));
  }

  async #hold(
    claimed: Pick<Hold, 'run' | 'lease' | 'heldUntilMs' | 'turn'>,
    signal: AbortSignal,
    onProgress: (progress: RunProgress) => void,
    span: OpenSpan,
  ): Promise<SyncRunEntity | null> {
    const { run, lease } = claimed;
    const runId = run.id;
    const { kind, trigger, phase } = run;
    this.#log.info({ runId, store: run.store, kind, trigger, phase }, 'run started');
    const holder = new AbortController();
    const lose = (): void => {
      // Without a code: a coded error is a failure of one product, and an action that is not sent is not a failure.
      holder.abort(new Error('another worker took the run over'));
    };
    const cancel = (by: string): void => {
      holder.abort(new RunCancelledError(by));
    };
    const stop = AbortSignal.any([signal, holder.signal]);
    const requests = { catalog: run.requests.catalog ?? 0, store: run.requests.store ?? 0 };
    const steps = new RunSteps(run.phases, this.clock, (all) => this.runs.setSteps(runId, lease, all));
    const hold: Hold = { ...claimed, signal: stop, lose, cancel, requests, onProgress, steps, counts: {} };
    const heartbeat = setInterval(() => {
      this.#keepLease(hold).catch((error: unknown) => {
        this.#log.warn({ runId, err: errorLine(error) }, 'the run’s lease could not be renewed');
      });
    }, HEARTBEAT_MS);
    try {
      const end = await tallied(requests, () => this.#toEnd(hold));
      return await this.#finish(hold, end, span);
    } catch (error) {
      if (!(error instanceof DatabaseAwayError)) await steps.write().catch(() => undefined);
      if (error instanceof TurnOverError && (await this.runs.yieldTurn(run.id, lease))) {
        this.#log.info({ runId, store: run.store }, 'run lets others have its worker');
        return null;
      }
      if (error instanceof ListingBusyError && (await this.runs.waitForListing(run.id, lease))) {
        this.#log.info({ runId, store: run.store }, 'run waits until another has read the catalog’s listing');
        return null;
      }
      if (error instanceof DatabaseAwayError && !stop.aborted) return await this.#handBack(hold, error);
      if (!stop.aborted) throw error;
      const reason: unknown = holder.signal.reason;
      if (reason instanceof RunCancelledError)
        return await this.#finish(hold, await this.#cancelled(run, reason.by), span);
      if (!holder.signal.aborted) await this.runs.release(run.id, lease);
      this.#log.info({ runId, store: run.store }, 'run handed on as it stands');
      return null;
    } finally {
      clearInterval(heartbeat);
      steps.end();
    }
  }

  /** The run goes on with the next worker as soon as the database is back. Until then its lease keeps it, or ends. */
  async #handBack({ run, lease }: Hold, error: DatabaseAwayError): Promise<null> {
    const { id: runId, store } = run;
    this.#log.warn({ runId, store, err: errorLine(error) }, 'run waits for the database');
    await repeatFor(LEASE_MS, () => this.runs.handBack(runId, lease, error.isSent)).catch(() => undefined);
    return null;
  }

  /** Null when another worker has the run by now. */
  async #finish(hold: Hold, end: RunEnd, span: OpenSpan): Promise<SyncRunEntity | null> {
    const { run, lease, requests, steps } = hold;
    killPoint('run.worked');
    span.note({ 'run.state': end.state, 'run.error_code': end.errorCode });
    const ended = await this.runs.finish(run.id, lease, end, { requests, steps: steps.all });
    if (ended !== null) await this.ends.logEnd(run, end);
    return ended;
  }

  async #keepLease(hold: Hold): Promise<void> {
    const heldUntilMs = performance.now() + LEASE_MS;
    const { run, lease, counts, requests } = hold;
    if (!(await this.runs.keepLease(run.id, lease, LEASE_MS, counts, requests))) {
      hold.lose();
      return;
    }
    hold.heldUntilMs = heldUntilMs;
    const by = await this.runs.cancelledBy(run.id);
    if (by !== null) hold.cancel(by);
  }

  async #toEnd(hold: Hold): Promise<RunEnd> {
    const { run, signal } = hold;
    try {
      if (run.cancelledBy !== null) return await this.#cancelled(run, run.cancelledBy);
      const store = this.sites.store(run.store);
      if (run.crashCount > CRASHES_MOST) return await this.ends.givenUp(run);
      await this.pauses.refuseWhilePaused(store);
      if (run.phase === 'extract') await this.#plan(hold, store);
      else if (!run.tookTurns) await this.actions.retryFailures(run.id);
      const outcome = await this.#apply(hold, store);
      await this.state.unpause(store.workspace.key);
      return await this.ends.ended(run, outcome);
    } catch (error) {
      if (error instanceof PlanLostError) hold.lose();
      signal.throwIfAborted();
      if ([TurnOverError, ListingBusyError, DatabaseAwayError].some((kind) => error instanceof kind))
        throw error;
      return this.ends.endedEarly(run, error);
    }
  }

  /** The store need not finish an export that no run reads. */
  async #cancelled({ id }: SyncRunEntity, by: string): Promise<RunEnd> {
    const run = await this.runs.get(id);
    if (run === null) throw new CodedError('not_found', `run ${id} is gone`);
    if (run.phase === 'extract' && run.operation !== null) {
      const { connector } = this.sites.store(run.store);
      await connector.cancelExport(run.operation).catch((error: unknown) => {
        this.#log.info({ runId: id, err: errorLine(error) }, 'the store did not cancel its export');
      });
    }
    return this.ends.cancelled(run, by);
  }

  async #plan(hold: Hold, store: Store): Promise<void> {
    hold.steps.enter('export');
    await this.pauses.identifyStore(store);
    const extracted = await traced('extract', {}, () => this.#read(hold, store));
    hold.steps.enter('plan');
    await this.#planRead(hold, store, extracted);
  }

  async #planRead(hold: Hold, store: Store, { read, full }: Extracted): Promise<void> {
    const { run, lease, signal, onProgress } = hold;
    const { id, store: key, workspace } = run;
    const plan = await Plan.begin(this.db, { id, store: key, workspace, lease, isDry: false });
    try {
      // The extract is read during planning.
      const outcome = await traced('plan', {}, async (span) => {
        const made = await planRead(plan, store, read, {
          full,
          force: run.force,
          listing: {
            since: listingSince(run),
            ahead: this.listingsAhead.of(run.id, store.workspace),
            clock: this.clock,
            signal,
            // The run of a command has no worker that others could use.
            yields: hold.turn !== null,
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
      await this.pauses.storeWorks(store.key);
      if (full && outcome.incomplete !== null) {
        this.#log.warn(
          { runId: run.id, store: store.key },
          `nothing is marked as gone: ${outcome.incomplete}`,
        );
      }
      hold.counts = outcome.counts;
      killPoint('plan.planned');
      const kept = await plan.commit({
        full,
        complete: full && outcome.incomplete === null,
        gone: outcome.gone,
        proved: outcome.proved,
        notCompared: outcome.notCompared,
        counts: { ...NO_COUNTS, ...outcome.counts },
      });
      if (!kept) throw new PlanLostError();
      killPoint('plan.committed');
      run.counts = { ...outcome.counts };
      run.identifiersProved = outcome.proved;
      run.notCompared = outcome.notCompared;
    } catch (error) {
      // What is left is removed before the run is planned again.
      await plan.discard().catch(() => undefined);
      throw error;
    }
  }

  async #read({ run, lease, signal, onProgress, turn }: Hold, store: Store): Promise<Extracted> {
    const known = run.kind === 'incremental' ? await this.state.store(store.key) : null;
    const watermark = known?.watermark ?? null;
    if (watermark !== null || run.operation === null) {
      // Events become owed products, so that a run that fails later loses none of them. An export that an earlier attempt has begun does
      // not show what is announced since: those events wait for the next run.
      await this.events.take(store.key, run.id, (rawBody) => productOfEvent(store, rawBody));
      await this.runs.beginRead(run.id, lease);
    }
    if (watermark !== null)
      return { read: readChanges(store, watermark, owedStoreIds(this.owed, store.key)), full: false };
    const progress = {
      started: (handle: string | null) => this.runs.setOperation(run.id, lease, handle),
      waiting: (objects: number) => {
        // The export goes on meanwhile, and its handle is in the row.
        if (turn?.lasts() === false) throw new TurnOverError();
        onProgress({ phase: 'export', done: objects, total: null });
      },
    };
    // A run that adopts an export had it begun with the export.
    if (run.operation === null) await this.listingsAhead.begin(run, store);
    return { read: await readAll(store, run.operation, progress, this.clock, signal), full: true };
  }

  async #apply(hold: Hold, store: Store): Promise<ApplyOutcome> {
    const { run, lease, signal, lose, onProgress } = hold;
    const applying = {
      id: run.id,
      startedUpTo: run.startedUpTo,
      identifiersProved: run.identifiersProved,
      begin: async (actionId: string): Promise<void> => {
        if (!(await this.runs.begin(run.id, lease, actionId))) lose();
        signal.throwIfAborted();
      },
      assertHeld: (): void => {
        if (performance.now() > hold.heldUntilMs) lose();
        signal.throwIfAborted();
      },
      keepsTurn: (): boolean => hold.turn?.lasts() ?? true,
    };
    if (!run.tookTurns) hold.steps.enter('apply');
    const before = await this.actions.openAndRequested(run.id);
    let done = 0;
    const outage = new Outage(this.clock, signal);
    await traced('apply', { 'run.open_actions': before.open }, async () => {
      if (before.open === 0) return;
      await this.applier.apply(applying, store, outage, signal, () => {
        done += 1;
        onProgress({ phase: 'apply', done, total: before.open });
      });
    });
    if (hold.turn?.isOver === true && (await this.actions.openAndRequested(run.id)).open > 0)
      throw new TurnOverError();
    hold.steps.enter('creations');
    onProgress({ phase: 'creations', done: 0, total: null });
    await traced('follow creations', {}, () =>
      this.creations.follow(store, CREATIONS_WAIT_MS, signal, applying.assertHeld),
    );
    hold.steps.enter('generation');
    // Requests of this run before a retry or a crash count towards the limit.
    const room = Math.max(0, store.workspace.settings.generation.maxPerRun - before.generationRequested);
    const asked = await traced('request generation', {}, () =>
      this.generation.requestDue(
        store,
        run.id,
        room,
        signal,
        (done, total) => {
          onProgress({ phase: 'generation', done, total });
        },
        applying.assertHeld,
      ),
    );
    onProgress({ phase: 'generation', done: asked.requested, total: asked.requested });
    return applyOutcome(asked);
  }
}
