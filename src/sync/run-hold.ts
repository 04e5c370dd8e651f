import type { RunCounts } from '../domain/run-counts.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import type { RunStep, StepStart } from '../persistence/entities/sync-run.entity.js';
import type { Clock } from '../runtime/clock.js';
import type { RequestTally } from '../runtime/request-tally.js';

export interface RunProgress {
  readonly phase: RunStep;
  readonly done: number;
  /** Null while it is unknown. */
  readonly total: number | null;
}

/** A run that a worker has taken. */
export interface ClaimedRun {
  readonly run: SyncRunEntity;
  readonly lease: string;
  /** Requests of this attempt and of the earlier ones. */
  readonly requests: RequestTally;
  /** By the process's own monotonic clock. Until then no other worker can have the run. */
  heldUntilMs: number;
}

/** A run that this worker holds. */
export interface Hold extends ClaimedRun {
  /** Aborts when the process stops, or when another worker has the run. */
  readonly signal: AbortSignal;
  /** Ends all work on the run. */
  readonly holder: AbortController;
  readonly onProgress: (progress: RunProgress) => void;
  /** Those of earlier attempts too. The row of the run gets them whenever the lease is renewed. */
  steps: readonly StepStart[];
  counts: Partial<RunCounts>;
  /**
   * True when this attempt itself made the plan from a complete listing of the catalog, so no other product had the identifiers of its
   * creations. A later attempt may start hours later, and must not rely on that.
   */
  identifiersProved: boolean;
}

/** A run's row keeps the newest: a run that is retried for days repeats its steps. */
const STEPS_KEPT = 60;

/** Begins a step. The row of the run has it with the next renewal of the lease. */
export function enterStep(hold: Pick<Hold, 'steps'>, step: RunStep, clock: Pick<Clock, 'now'>): void {
  hold.steps = [...hold.steps, { step, startedAt: clock.now().toISOString() }].slice(-STEPS_KEPT);
}

/** Ends all work on the run, because another worker has it or may have it. */
export function loseRun({ holder }: Pick<Hold, 'holder'>): void {
  // Without a code: a coded error is a failure of one product, and an action that is not sent is not a failure.
  holder.abort(new Error('another worker took the run over'));
}

/**
 * A listing of the catalog that began before this moment does not serve the run; null allows any. A person who asks for a run expects it
 * to see the catalog as it is then.
 */
export function listingSince({ trigger, createdAt }: SyncRunEntity): Date | null {
  return trigger === 'command' || trigger === 'api' ? createdAt : null;
}

/** Stops a run that a person cancelled. Without a code: it is no failure of a product. */
export class RunCancelledError extends Error {
  constructor(readonly by: string) {
    super('a person cancelled the run');
  }
}
