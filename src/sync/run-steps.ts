import type { RunStep, StepStart } from '../persistence/entities/sync-run.entity.js';

/** So long after a step began its run's row says so. */
const WRITTEN_AFTER_MS = 1_000;

/** A run's row keeps the newest: a run that is retried for days repeats its steps. */
const STEPS_KEPT = 60;

/**
 * The steps that a run has taken, for people. Its row gets them a second after the first that is new. Those of a short run are written with
 * its end, so that they take no statement of their own.
 */
export class RunSteps {
  #steps: readonly StepStart[];
  #isWritten = true;
  #timer: NodeJS.Timeout | undefined;

  /** `steps`: those of earlier attempts. `save` writes them all to the row of the run. */
  constructor(
    steps: readonly StepStart[],
    private readonly save: (steps: readonly StepStart[]) => Promise<void>,
  ) {
    this.#steps = steps;
  }

  get all(): readonly StepStart[] {
    return this.#steps;
  }

  enter(step: RunStep, at: Date): void {
    this.#steps = [...this.#steps, { step, startedAt: at.toISOString() }].slice(-STEPS_KEPT);
    this.#isWritten = false;
    this.#timer ??= setTimeout(() => {
      // They are written again with the end of the run.
      this.write().catch(() => undefined);
    }, WRITTEN_AFTER_MS);
  }

  /** Writes the steps that are new, for a run that is given back before its end. */
  async write(): Promise<void> {
    this.end();
    if (this.#isWritten) return;
    const steps = this.#steps;
    await this.save(steps);
    this.#isWritten = steps === this.#steps;
  }

  /** Nothing more is written by itself. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
