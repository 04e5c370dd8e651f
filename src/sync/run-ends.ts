import { Injectable } from '@nestjs/common';
import { BACKOFF } from '../domain/backoff.js';
import { isMetWith } from '../domain/error-policy.js';
import { CodedError, errorLine, failureLine, isCoded } from '../domain/errors.js';
import { owedLine } from '../domain/owed.js';
import { pauseAfter } from '../domain/side-pause.js';
import { NO_COUNTS, type RunCounts } from '../domain/run-counts.js';
import { counted } from '../domain/text.js';
import { ActionRepository, type ActionTally } from '../persistence/action.repository.js';
import { STOPPED_BY_LIMIT } from '../persistence/entities/sync-run.entity.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import { OwedRepository, type OwedSummary } from '../persistence/owed.repository.js';
import { cancelNote, type RunEnd } from '../persistence/run.repository.js';
import { SidePauseRepository } from '../persistence/side-pause.repository.js';
import { Clock } from '../runtime/clock.js';
import { Logger } from '../runtime/logger.js';
import { catalogRemarks } from './catalog-remarks.js';
import { GENERATION_OFF, type GenerationOutcome } from './generation-asking.js';
import { RunInterruptedError } from './outage.js';
import { PlanLimitError } from './planning.js';

/** The number of failed actions in the log. The rows have all of them. */
const FAILURES_LOGGED = 20;

/** The remarks about a run as a whole, after its plan was applied. */
export interface ApplyOutcome {
  /** Remarks that are no errors. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  /** Why the run is no success although no product failed: its code; null when it is one. */
  readonly errorCode: 'transient' | 'misconfigured' | null;
  /** How long the service told us to wait before the run is tried again, in milliseconds. Absent when waiting would not help. */
  readonly againAfterMs?: number | undefined;
}

/** How a run ends: its state, its counts, and what there is to say about it. */
@Injectable()
export class RunEnds {
  readonly #log: Logger;

  constructor(
    private readonly actions: ActionRepository,
    private readonly owed: OwedRepository,
    private readonly pauses: SidePauseRepository,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'sync' });
  }

  /** Logs only ids and codes. The messages of a service may quote product texts, so they stay in the row. */
  async logEnd(run: SyncRunEntity, end: RunEnd): Promise<void> {
    const { id: runId, store } = run;
    const failures = end.counts.failed === 0 ? [] : await this.actions.failures(runId, FAILURES_LOGGED);
    for (const { externalId, kind, error } of failures)
      this.#log.info({ runId, store, externalId, kind, code: error?.code ?? null }, 'action failed');
    const { state, counts, errorCode: code = null } = end;
    // The reason for the failure of a whole run is not a failure of single products.
    const reason = state === 'failed' ? { error: end.error } : {};
    this.#log.info({ runId, store, state, counts, code, ...reason }, 'run ended');
  }

  /** The run did all that it could. */
  async ended(
    run: SyncRunEntity,
    { notes, problems, errorCode, againAfterMs }: ApplyOutcome,
  ): Promise<RunEnd> {
    const { counts, owed, tally } = await this.#counts(run);
    const againInMs = againAfterMs === undefined ? undefined : this.#waitMs(run, againAfterMs, true);
    const retry = againInMs === undefined ? {} : { retryInMs: againInMs };
    const putOff = owedLine(owed.byCode);
    const remarks = [...(putOff === null ? [] : [putOff]), ...notes, ...catalogRemarks(tally, run)];
    if (counts.failed === 0) {
      return {
        state: counts.owed === 0 && errorCode === null ? 'succeeded' : 'partial',
        counts,
        notes: remarks,
        ...(problems.length > 0 ? { error: problems.join('; ') } : {}),
        // A code keeps the run from turning into a success once what it owed is in.
        ...(errorCode === null ? {} : { errorCode }),
        ...retry,
      };
    }
    const [first] = await this.actions.failures(run.id, 1);
    const example = first?.error ? `; the first: ${first.externalId}: ${failureLine(first.error)}` : '';
    const retryable = await this.actions.retryableFailures(run.id);
    const retryInMs = againInMs ?? (retryable > 0 ? this.#retryInMs(run) : undefined);
    const failed = `${counted(counts.failed, 'product')} failed${example}`;
    return {
      state: 'partial',
      counts,
      notes: remarks,
      error: [failed, ...problems].join('; '),
      errorCode: 'invalid',
      ...(retryInMs === undefined ? {} : { retryInMs }),
    };
  }

  /** A fault ended the run before its time. */
  async endedEarly(run: SyncRunEntity, error: unknown): Promise<RunEnd> {
    if (!(error instanceof CodedError))
      this.#log.warn({ runId: run.id, err: error }, 'a run ended on an unforeseen error');
    const cause =
      error instanceof RunInterruptedError && error.cause instanceof CodedError ? error.cause : error;
    const left = await this.#left(run);
    if (isCoded(cause)) await this.#pauseAfter(run, cause);
    const final = cause instanceof PlanLimitError || isMetWith(cause, 'run', 'give_up');
    const retryInMs = final ? undefined : this.#retryInMs(run, cause);
    const again =
      retryInMs === undefined
        ? ''
        : `; next try at ${new Date(this.clock.now().getTime() + retryInMs).toISOString()}`;
    return {
      ...left,
      error: `${errorLine(cause)}${again}`,
      errorCode:
        cause instanceof PlanLimitError ? STOPPED_BY_LIMIT : isCoded(cause) ? cause.code : 'transient',
      ...(retryInMs === undefined ? {} : { retryInMs }),
    };
  }

  /** A person cancelled the run. That is no error, and it is not tried again; what it left is owed to the next run. */
  async cancelled(run: SyncRunEntity, by: string): Promise<RunEnd> {
    return { ...(await this.#left(run)), notes: [cancelNote(by)], errorCode: 'cancelled' };
  }

  /** Its worker died too often. */
  async givenUp(run: SyncRunEntity): Promise<RunEnd> {
    return {
      ...(await this.#left(run)),
      error: `work on it began ${String(run.crashCount - 1)} times in a row and never ended; the next run starts again`,
      errorCode: 'transient',
    };
  }

  /** Pauses the side that ended the run by refusing us, if one did. Runs of other stores go on. */
  async #pauseAfter({ id: runId, store, workspace }: SyncRunEntity, cause: CodedError): Promise<void> {
    const pause = pauseAfter('run', cause);
    if (pause === null) return;
    const { side, code } = pause;
    const delayMs = await this.pauses[side].pause(side === 'store' ? store : workspace, pause);
    this.#log.warn({ runId, store, workspace, code, delayMs }, `the ${side} is paused`);
  }

  /** The state and counts of a run that ends with open actions. */
  async #left(run: SyncRunEntity): Promise<Pick<RunEnd, 'state' | 'counts'>> {
    await this.owed.noteOpenActions(run.id);
    const { counts } = await this.#counts(run);
    const applied = counts.created + counts.updated + counts.orphaned;
    return { state: applied > 0 ? 'partial' : 'failed', counts };
  }

  /** The counts (docs/http.md#runs). Open actions count as failed until a later attempt settles them. */
  async #counts(run: SyncRunEntity): Promise<{ counts: RunCounts; owed: OwedSummary; tally: ActionTally }> {
    const [tally, owed] = [await this.actions.tally(run.id), await this.owed.summary(run.store)];
    const { created, updated } = tally;
    const { unchanged = 0 } = run.counts;
    const failed = tally.failed + tally.open;
    const counts = {
      ...NO_COUNTS,
      ...run.counts,
      // The sum, and not the products that were read: a failed removal counts, and its product was not in the store to be read.
      seen: created + updated + unchanged + failed,
      created,
      updated,
      failed,
      // As planned, or more where the catalog refused identifiers that the plan would have sent.
      conflicted: Math.max(run.counts.conflicted ?? 0, tally.conflicted + tally.refused),
      orphaned: tally.orphaned,
      generationRequested: tally.generationRequested,
      owed: owed.count,
    };
    return { counts, owed, tally };
  }

  /** At least half a minute, because a retry of a run is expensive. Undefined when no attempts are left. */
  #retryInMs(run: SyncRunEntity, error?: unknown): number | undefined {
    const asked = isCoded(error) ? (error.retryAfterMs ?? 0) : 0;
    return this.#waitMs(run, asked, isMetWith(error, 'run', 'pause', 'wait'));
  }

  #waitMs({ attempts }: SyncRunEntity, askedMs: number, isEndless: boolean): number | undefined {
    const delay = BACKOFF.outsideWork.delayMs(attempts + 2, () => this.clock.random(), askedMs);
    if (delay !== null) return delay;
    return isEndless ? Math.max(askedMs, BACKOFF.outsideWork.longestMs) : undefined;
  }
}

/** The outcome of a run's work: how the requests for content ended. */
export function applyOutcome({
  stopped: why,
  atLimit,
  isCallRefused,
  againAfterMs,
  unknown = 0,
  unknownReason = '',
}: GenerationOutcome): ApplyOutcome {
  const stopped = why === null || why === GENERATION_OFF ? [] : [why];
  return {
    notes: atLimit === true ? stopped : [],
    problems: [
      ...(unknown === 0
        ? []
        : [
            `generation: outcome unknown for ${counted(unknown, 'product')} (${unknownReason}); content is requested again unless a result comes`,
          ]),
      ...(atLimit === true ? [] : stopped),
    ],
    // Requests that were not answered may have been heard.
    errorCode:
      unknown > 0 || againAfterMs !== undefined
        ? 'transient'
        : isCallRefused === true
          ? 'misconfigured'
          : null,
    againAfterMs,
  };
}
