import pLimit from 'p-limit';
import type { RunStep, StepStart } from '../persistence/entities/sync-run.entity.js';
import type { Clock } from '../runtime/clock.js';

/** A step that began so long ago is in the row of its run. */
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
  /** An older list never overwrites a newer one. */
  readonly #inTurn = pLimit(1);

  /** `steps`: those of earlier attempts. `save` writes them all to the row of the run. */
  constructor(
    steps: readonly StepStart[],
    private readonly clock: Pick<Clock, 'now'>,
    private readonly save: (steps: readonly StepStart[]) => Promise<void>,
  ) {
    this.#steps = steps;
  }

  get all(): readonly StepStart[] {
    return this.#steps;
  }

  enter(step: RunStep): void {
    this.#steps = [...this.#steps, { step, startedAt: this.clock.now().toISOString() }].slice(-STEPS_KEPT);
    this.#isWritten = false;
    this.#timer ??= setTimeout(() => {
      // They are written again with the end of the run.
      this.write().catch(() => undefined);
    }, WRITTEN_AFTER_MS);
  }

  /** Writes the steps that are new, for a run that is given back before its end. */
  async write(): Promise<void> {
    this.end();
    await this.#inTurn(async () => {
      if (this.#isWritten) return;
      const steps = this.#steps;
      await this.save(steps);
      this.#isWritten = steps === this.#steps;
    });
  }

  /** Stops the timer: from now on only `write` writes. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
