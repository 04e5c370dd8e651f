import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { isMetWith } from '../domain/error-policy.js';
import { CodedError, errorLine, failureLine, isCoded } from '../domain/errors.js';
import { NO_COUNTS, type RunCounts } from '../domain/run-counts.js';
import { retryDelayMs } from '../domain/backoff.js';
import { owedLine } from '../domain/owed.js';
import { ActionRepository } from '../persistence/action.repository.js';
import { Database } from '../persistence/database.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { OwedRepository, type OwedSummary } from '../persistence/owed.repository.js';
import { PlanTransaction } from '../persistence/plan-transaction.js';
import { RunRepository, type RunEnd } from '../persistence/run.repository.js';
import { StateRepository } from '../persistence/state.repository.js';
import { killPoint } from '../runtime/kill-point.js';
import { StoreEventRepository } from '../persistence/store-event.repository.js';
import { Sites, type Store } from '../sites/sites.js';
import { traced, type OpenSpan } from '../observability/tracing/tracing.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';
import { Applier } from './apply.js';
import { catalogRemarks } from './catalog-remarks.js';
import { BackgroundCreations } from './background-creations.js';
import { owedStoreIds, productOfEvent, readAll, readChanges, type SourceRead } from './extract.js';
import { GenerationRequester } from './generation.js';
import { Outage, RunInterruptedError } from './outage.js';
import { PlanLimitError, planRead } from './planning.js';
import { SidePauses } from './side-pauses.js';

export interface RunProgress {
  readonly phase: 'export' | 'plan' | 'apply' | 'creations' | 'generation';
  readonly done: number;
  /** Null while it is unknown. */
  readonly total: number | null;
}

/** A run that this worker holds. */
interface Hold {
  readonly run: SyncRunEntity;
  readonly lease: string;
  /** Aborts when the process stops, or when another worker has the run. */
  readonly signal: AbortSignal;
  /** Ends all work on the run, because another worker has it or may have it. */
  readonly lose: () => void;
  readonly onProgress: (progress: RunProgress) => void;
  /** By the process's own monotonic clock. Until then no other worker can have the run. */
  heldUntilMs: number;
  counts: Partial<RunCounts>;
}

/** What applying a plan leaves to say about the run as a whole. */
interface ApplyOutcome {
  readonly notes: readonly string[];
  /** Requests for generation were not answered: they may have been heard. */
  readonly unanswered: boolean;
}

const LEASE_MS = 20_000;
const HEARTBEAT_MS = 5_000;
/** A run that killed its worker this often is given up; the next one reads and plans again. */
const CRASHES_MOST = 10;
/** How long a run waits for what the catalog creates in its background; reconcile follows what is left. */
const CREATIONS_WAIT_MS = 240_000;
/** The number of failed actions in the log. The rows have all of them. */
const FAILURES_TOLD = 20;

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
    private readonly applier: Applier,
    private readonly creations: BackgroundCreations,
    private readonly generation: GenerationRequester,
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
    const facts = { 'run.id': run.id, store: run.store, 'run.kind': run.kind, 'run.trigger': run.trigger };
    return traced('run', facts, (span) => this.#hold({ run, lease, heldUntilMs }, signal, onProgress, span));
  }

  async #hold(
    claimed: Pick<Hold, 'run' | 'lease' | 'heldUntilMs'>,
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
    const stop = AbortSignal.any([signal, holder.signal]);
    const hold: Hold = { ...claimed, signal: stop, lose, onProgress, counts: {} };
    const heartbeat = setInterval(() => {
      this.#keepLease(hold).catch((error: unknown) => {
        this.#log.warn({ runId, err: errorLine(error) }, 'the run’s lease could not be renewed');
      });
    }, HEARTBEAT_MS);
    try {
      const end = await this.#toEnd(hold);
      killPoint('run.worked');
      span.note({ 'run.state': end.state, 'run.error_code': end.errorCode });
      if (!(await this.runs.finish(run.id, lease, end))) return null;
      await this.#tellEnd(run, end);
      return await this.runs.get(run.id);
    } catch (error) {
      if (!stop.aborted) throw error;
      if (!holder.signal.aborted) await this.runs.release(run.id, lease);
      this.#log.info({ runId, store: run.store }, 'run handed on as it stands');
      return null;
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** Logs only ids and codes. The messages of a service may quote product texts, so they stay in the row. */
  async #tellEnd(run: SyncRunEntity, end: RunEnd): Promise<void> {
    const { id: runId, store } = run;
    const failures = end.counts.failed === 0 ? [] : await this.actions.failures(runId, FAILURES_TOLD);
    for (const { externalId, kind, error } of failures)
      this.#log.info({ runId, store, externalId, kind, code: error?.code ?? null }, 'action failed');
    const { state, counts, errorCode: code = null } = end;
    // The reason for the failure of a whole run is not a failure of single products.
    const reason = state === 'failed' ? { error: end.error } : {};
    this.#log.info({ runId, store, state, counts, code, ...reason }, 'run ended');
  }

  async #keepLease(hold: Hold): Promise<void> {
    const heldUntilMs = performance.now() + LEASE_MS;
    if (await this.runs.keepLease(hold.run.id, hold.lease, LEASE_MS, hold.counts))
      hold.heldUntilMs = heldUntilMs;
    else hold.lose();
  }

  async #toEnd(hold: Hold): Promise<RunEnd> {
    const { run, signal } = hold;
    try {
      const store = this.sites.store(run.store);
      if (run.crashCount > CRASHES_MOST) return await this.#givenUp(run);
      await this.pauses.refuseWhilePaused(store);
      if (run.phase === 'extract') await this.#plan(hold, store);
      else await this.actions.retryFailures(run.id);
      return await this.#ended(run, store, await this.#apply(hold, store));
    } catch (error) {
      signal.throwIfAborted();
      return this.#endedEarly(run, error);
    }
  }

  async #givenUp(run: SyncRunEntity): Promise<RunEnd> {
    await this.owed.noteOpenActions(run.id);
    const { counts } = await this.#counts(run);
    return {
      state: counts.created + counts.updated + counts.orphaned > 0 ? 'partial' : 'failed',
      counts,
      error: `work on it began ${String(run.crashCount - 1)} times in a row and never ended; the next run starts again`,
      errorCode: 'transient',
    };
  }

  async #plan(hold: Hold, store: Store): Promise<void> {
    const { run, lease, signal, onProgress } = hold;
    const readFrom = run.operation !== null && run.readFrom !== null ? run.readFrom : this.clock.now();
    const { read, full } = await traced('extract', {}, () => this.#read(hold, store, readFrom));
    const plan = await PlanTransaction.begin(this.db, run);
    try {
      // The extract is read during planning.
      const outcome = await traced('plan', {}, async (span) => {
        const made = await planRead(plan, store, read, {
          full,
          force: run.force,
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
      const kept = await plan.commit(lease, {
        readFrom,
        full,
        complete: full && outcome.incomplete === null,
        proved: outcome.proved,
        notCompared: outcome.notCompared,
        counts: { ...NO_COUNTS, ...outcome.counts },
      });
      if (!kept) throw new CodedError('conflict', 'another worker took the run over');
      killPoint('plan.committed');
      run.counts = { ...outcome.counts };
      run.identifiersProved = outcome.proved;
      run.notCompared = outcome.notCompared;
    } finally {
      await plan.end();
    }
  }

  async #read(
    { run, lease, signal, onProgress }: Hold,
    store: Store,
    readFrom: Date,
  ): Promise<{ read: SourceRead; full: boolean }> {
    const known = await this.state.store(store.key);
    // Events become owed products, so that a run that fails later loses none of them.
    await this.events.take(store.key, run.id, (rawBody) => productOfEvent(store, rawBody));
    if (run.kind === 'incremental' && known?.watermark)
      return { read: readChanges(store, known.watermark, owedStoreIds(this.owed, store.key)), full: false };
    const progress = {
      started: (handle: string | null) => this.runs.setOperation(run.id, lease, handle, readFrom),
      waiting: (objects: number) => {
        onProgress({ phase: 'export', done: objects, total: null });
      },
    };
    return { read: await readAll(store, run.operation, progress, this.clock, signal), full: true };
  }

  async #apply(hold: Hold, store: Store): Promise<ApplyOutcome> {
    const { run, lease, signal, lose, onProgress } = hold;
    const applying = {
      ...{ id: run.id, startedUpTo: run.startedUpTo, identifiersProved: run.identifiersProved },
      begin: async (actionId: string): Promise<void> => {
        if (!(await this.runs.begin(run.id, lease, actionId))) lose();
        signal.throwIfAborted();
      },
      assertHeld: (): void => {
        if (performance.now() > hold.heldUntilMs) lose();
        signal.throwIfAborted();
      },
    };
    const before = await this.actions.tally(run.id);
    let done = 0;
    const outage = new Outage(this.clock, signal);
    await traced('apply', { 'run.open_actions': before.open }, () =>
      this.applier.apply(applying, store, outage, signal, () => {
        done += 1;
        onProgress({ phase: 'apply', done, total: before.open });
      }),
    );
    onProgress({ phase: 'creations', done: 0, total: null });
    await traced('follow creations', {}, () => this.creations.follow(store, CREATIONS_WAIT_MS, signal));
    // What this run asked for before a retry or a crash counts too.
    const room = Math.max(0, store.workspace.settings.generation.maxPerRun - before.generationRequested);
    const asked = await traced('request generation', {}, () =>
      this.generation.requestDue(store, run.id, room, signal),
    );
    onProgress({ phase: 'generation', done: asked.requested, total: asked.requested });
    const { generationRequested } = await this.actions.tally(run.id);
    hold.counts = { ...hold.counts, generationRequested };
    const { unknown = 0, unknownReason = '' } = asked;
    return {
      notes: [
        ...(unknown === 0
          ? []
          : [
              `generation: outcome unknown for ${String(unknown)} products (${unknownReason}); they are asked for again unless a result comes`,
            ]),
        ...(asked.stopped === null || asked.stopped === 'generation.mode is off' ? [] : [asked.stopped]),
      ],
      unanswered: unknown > 0,
    };
  }

  async #ended(run: SyncRunEntity, store: Store, { notes, unanswered }: ApplyOutcome): Promise<RunEnd> {
    await this.state.unpause(store.workspace.key);
    const { counts, owed } = await this.#counts(run);
    const putOff = owedLine(owed.byCode);
    const remarks = [
      ...(putOff === null ? [] : [putOff]),
      ...notes,
      ...catalogRemarks(await this.actions.tally(run.id), run),
    ];
    if (counts.failed === 0) {
      return {
        state: counts.owed === 0 && !unanswered ? 'succeeded' : 'partial',
        counts,
        ...(remarks.length > 0 ? { error: remarks.join('; ') } : {}),
        // A code keeps the run from turning into a success once what it owed is in.
        ...(unanswered ? { errorCode: 'transient' } : {}),
      };
    }
    const [first] = await this.actions.failures(run.id, 1);
    const example = first?.error ? `; the first: ${first.externalId}: ${failureLine(first.error)}` : '';
    const retryable = await this.actions.retryableFailures(run.id);
    const retryInMs = retryable > 0 ? this.#retryInMs(run) : undefined;
    return {
      state: 'partial',
      counts,
      error: [
        `${counts.failed === 1 ? '1 product' : `${String(counts.failed)} products`} failed${example}`,
        ...remarks,
      ].join('; '),
      errorCode: 'invalid',
      ...(retryInMs === undefined ? {} : { retryInMs }),
    };
  }

  /** The counts (docs/http.md#runs). Open actions count as failed until a later attempt settles them. */
  async #counts(run: SyncRunEntity): Promise<{ counts: RunCounts; owed: OwedSummary }> {
    const [tally, owed] = [await this.actions.tally(run.id), await this.owed.summary(run.store)];
    const counts = {
      ...NO_COUNTS,
      ...run.counts,
      created: tally.created,
      updated: tally.updated,
      failed: tally.failed + tally.open,
      // As planned, or more where the catalog refused identifiers that the plan would have sent.
      conflicted: Math.max(run.counts.conflicted ?? 0, tally.conflicted + tally.refused),
      orphaned: tally.orphaned,
      generationRequested: tally.generationRequested,
      owed: owed.count,
    };
    return { counts, owed };
  }

  async #endedEarly(run: SyncRunEntity, error: unknown): Promise<RunEnd> {
    if (!(error instanceof CodedError))
      this.#log.warn({ runId: run.id, err: error }, 'a run ended on an unforeseen error');
    const cause =
      error instanceof RunInterruptedError && error.cause instanceof CodedError ? error.cause : error;
    await this.owed.noteOpenActions(run.id);
    const { counts } = await this.#counts(run);
    const applied = counts.created + counts.updated + counts.orphaned;
    if (isCoded(cause)) await this.pauses.pauseAfter(run, cause);
    const final = cause instanceof PlanLimitError || isMetWith(cause, 'run', 'give_up');
    const retryInMs = final ? undefined : this.#retryInMs(run, cause);
    const again = retryInMs === undefined ? '' : `; tried again in ${String(Math.ceil(retryInMs / 1000))} s`;
    return {
      state: applied > 0 ? 'partial' : 'failed',
      counts,
      error: `${errorLine(cause)}${again}`,
      errorCode: cause instanceof CodedError ? cause.code : 'transient',
      ...(retryInMs === undefined ? {} : { retryInMs }),
    };
  }

  /** At least half a minute, because a retry of a run is expensive. Undefined when no attempts are left. */
  #retryInMs(run: SyncRunEntity, error?: unknown): number | undefined {
    const asked = isCoded(error) ? (error.retryAfterMs ?? 0) : 0;
    const delay = retryDelayMs(run.attempts + 2, () => this.clock.random(), asked);
    if (delay !== null) return delay;
    return isMetWith(error, 'run', 'pause', 'wait') ? Math.max(asked, 7_200_000) : undefined;
  }
}
