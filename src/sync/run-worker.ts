import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CodedError, errorLine } from '../domain/errors.js';
import { traced, type OpenSpan } from '../observability/tracing/tracing.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import type { RunRequests } from '../persistence/entities/sync-run.entity.js';
import { PlanLostError } from '../persistence/plan.js';
import { RunRepository, type RunEnd } from '../persistence/run.repository.js';
import { SidePauseRepository } from '../persistence/side-pause.repository.js';
import { DatabaseAwayError } from '../persistence/statement-error.js';
import { ROW_LEASE_MS, whileHeld } from '../runtime/held-lease.js';
import { killPoint } from '../runtime/kill-point.js';
import { Logger } from '../runtime/logger.js';
import { beginTally, tallied, type RequestTally } from '../runtime/request-tally.js';
import { repeatFor } from '../runtime/time-limit.js';
import { Connections, type Store } from '../connections/connections.js';
import { RunApplication } from './run-application.js';
import { RunEnds } from './run-ends.js';
import { loseRun, RunCancelledError, type ClaimedRun, type Hold, type RunProgress } from './run-hold.js';
import { RunPlanner } from './run-planner.js';
import { assertPlannedFor } from './planned-for.js';

/** A run that killed its worker this often is given up; the next one reads and plans again. */
const CRASHES_MOST = 10;

/**
 * Processes runs to their end. A worker holds a run by a lease and does the phase in the run's row. After a crash the
 * next worker continues there.
 */
@Injectable()
export class RunWorker {
  readonly #log: Logger;

  constructor(
    private readonly connections: Connections,
    private readonly runs: RunRepository,
    private readonly planner: RunPlanner,
    private readonly application: RunApplication,
    private readonly pauses: SidePauseRepository,
    private readonly ends: RunEnds,
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
    const claimed = await this.#claim((lease) => this.runs.claim(runId, lease));
    return claimed === null ? null : this.workClaimed(claimed, signal, onProgress);
  }

  /** Takes the run that is due longest, of any workspace but these. Null when none can begin. */
  async claimNext(without: readonly string[] = []): Promise<ClaimedRun | null> {
    return this.#claim((lease) => this.runs.claimNext(lease, this.connections.storeKeys, without));
  }

  async #claim(take: (lease: string) => Promise<SyncRunEntity | null>): Promise<ClaimedRun | null> {
    const lease = randomUUID();
    // Taken before the statement, so that it is over here before it is over in the database.
    const heldUntilMs = performance.now() + ROW_LEASE_MS;
    const run = await take(lease);
    return run === null ? null : { run, lease, heldUntilMs, requests: beginTally(run.requests) };
  }

  /** Processes a run that `claimNext` has just returned. See `work`. */
  workClaimed(
    claimed: ClaimedRun,
    signal: AbortSignal,
    onProgress: (progress: RunProgress) => void = () => undefined,
  ): Promise<SyncRunEntity | null> {
    const { id, store, kind, trigger } = claimed.run;
    const facts = { 'run.id': id, store, 'run.kind': kind, 'run.trigger': trigger };
    return traced('run', facts, (span) => this.#hold(claimed, signal, onProgress, span));
  }

  async #hold(
    claimed: ClaimedRun,
    signal: AbortSignal,
    onProgress: (progress: RunProgress) => void,
    span: OpenSpan,
  ): Promise<SyncRunEntity | null> {
    const { run } = claimed;
    const { id: runId, store, kind, trigger, phase } = run;
    this.#log.info({ runId, store, kind, trigger, phase }, 'run started');
    const holder = new AbortController();
    const stop = AbortSignal.any([signal, holder.signal]);
    const begun = { steps: run.steps, counts: {}, identifiersProved: false };
    const hold: Hold = { ...claimed, signal: stop, holder, onProgress, ...begun };
    return whileHeld(
      () => this.#keepLease(hold),
      () => this.#toFinish(hold, span),
    );
  }

  /** Works on the run under its lease. Null when it is another worker’s, or is handed on. */
  async #toFinish(hold: Hold, span: OpenSpan): Promise<SyncRunEntity | null> {
    const { run, lease, requests, signal: stop } = hold;
    const lost = hold.holder.signal;
    try {
      const end = await tallied(requests, () => this.#toEnd(hold));
      return await this.#finish(hold, end, span);
    } catch (error) {
      if (error instanceof DatabaseAwayError && !stop.aborted) return await this.#handBack(hold, error);
      if (!stop.aborted) throw error;
      const reason: unknown = lost.reason;
      if (reason instanceof RunCancelledError)
        return await this.#finish(hold, await this.#cancelled(run, reason.by), span);
      if (!lost.aborted) {
        await this.#keepLease(hold).catch(() => undefined);
        await this.runs.release(run.id, lease);
      }
      this.#log.info({ runId: run.id, store: run.store }, 'run handed on as it stands');
      return null;
    }
  }

  /** The run goes on with the next worker as soon as the database is back. Until then its lease keeps it, or ends. */
  async #handBack({ run, lease }: Hold, error: DatabaseAwayError): Promise<null> {
    const { id: runId, store } = run;
    this.#log.warn({ runId, store, err: errorLine(error) }, 'run waits for the database');
    await repeatFor(ROW_LEASE_MS, () => this.runs.handBack(runId, lease, error.isSent)).catch(
      () => undefined,
    );
    return null;
  }

  /** Null when another worker has the run by now. */
  async #finish(hold: Hold, end: RunEnd, span: OpenSpan): Promise<SyncRunEntity | null> {
    const { run, lease, requests, steps } = hold;
    killPoint('run.worked');
    span.note({ 'run.state': end.state, 'run.error_code': end.errorCode });
    const ended = await this.runs.finish(run.id, lease, end, { requests: made(requests), steps });
    if (ended !== null) await this.ends.logEnd(run, end);
    return ended;
  }

  /** Renews the lease, and writes how far the work is. False when the lease was lost. */
  async #keepLease(hold: Hold): Promise<boolean> {
    const heldUntilMs = performance.now() + ROW_LEASE_MS;
    const { run, lease, counts, requests, steps } = hold;
    const worked = { counts, requests: made(requests), steps };
    const kept = await this.runs.keepLease(run.id, lease, worked);
    if (kept === null) {
      loseRun(hold);
      return false;
    }
    hold.heldUntilMs = heldUntilMs;
    if (kept.cancelledBy !== null) hold.holder.abort(new RunCancelledError(kept.cancelledBy));
    return true;
  }

  async #toEnd(hold: Hold): Promise<RunEnd> {
    const { run, signal } = hold;
    try {
      if (run.cancelledBy !== null) return await this.#cancelled(run, run.cancelledBy);
      const store = this.connections.store(run.store);
      if (run.crashCount > CRASHES_MOST) return await this.ends.givenUp(run);
      assertPlannedFor(store.workspace, run, 'the next run plans again');
      await this.#refuseWhilePaused(store);
      if (run.phase === 'extract') {
        await this.planner.plan(hold, store);
        // The heartbeat may hear of a cancellation only after requests that cost credits.
        await this.#keepLease(hold);
        signal.throwIfAborted();
      }
      const outcome = await this.application.apply(hold, store);
      await this.pauses.catalog.works(store.workspace.key, 'reads');
      return await this.ends.ended(run, outcome);
    } catch (error) {
      if (error instanceof PlanLostError) loseRun(hold);
      signal.throwIfAborted();
      if (error instanceof DatabaseAwayError) throw error;
      return this.ends.endedEarly(run, error);
    }
  }

  /** Throws `throttled` while a side of the run is paused: the run is tried again when the pause ends. */
  async #refuseWhilePaused({ key, workspace }: Store): Promise<void> {
    const store = await this.pauses.store.forbids(key, 'reads');
    const catalog = await this.pauses.catalog.forbids(workspace.key, 'reads');
    const [name, pause] = store === null ? [`workspace ${workspace.key}`, catalog] : [`store ${key}`, store];
    if (pause === null) return;
    const { reason, remainingMs: retryAfterMs } = pause;
    throw new CodedError('throttled', `${name} is paused: ${reason}`, { retryAfterMs });
  }

  /** The store need not finish an export that no run reads. */
  async #cancelled({ id }: SyncRunEntity, by: string): Promise<RunEnd> {
    const run = await this.runs.get(id);
    if (run === null) throw new CodedError('not_found', `run ${id} is gone`);
    if (run.phase === 'extract' && run.operation !== null) {
      const { connector } = this.connections.store(run.store);
      await connector.abandonRead(run.operation).catch((error: unknown) => {
        this.#log.info({ runId: id, err: errorLine(error) }, 'the store did not cancel its export');
      });
    }
    return this.ends.cancelled(run, by);
  }
}

function made({ catalog, store }: RequestTally): RunRequests {
  return { catalog, store };
}
