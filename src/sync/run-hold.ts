import type { RunCounts } from '../domain/run-counts.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';
import type { RunStep } from '../persistence/entities/sync-run.entity.js';
import type { RequestTally } from '../runtime/request-tally.js';
import type { RunSteps } from './run-steps.js';

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
  /** Ends all work on the run, because another worker has it or may have it. */
  readonly lose: () => void;
  readonly cancel: (by: string) => void;
  readonly onProgress: (progress: RunProgress) => void;
  readonly steps: RunSteps;
  counts: Partial<RunCounts>;
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
