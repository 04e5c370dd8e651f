import type { RunRepository } from '../persistence/run.repository.js';

/** A run that awaits an export or applies its plan keeps its worker so long while others wait. */
export const TURN_MS = 10_000;
/** Between two looks for others that wait. */
const LOOK_MS = 1_000;

/** Puts a run behind those that wait. */
export class TurnOverError extends Error {
  constructor() {
    super('other runs wait for this worker');
  }
}

/** The time in which a run has its worker although others wait. */
export class WorkerTurn {
  #isOver = false;
  #nextLookMs: number;

  constructor(
    private readonly runs: Pick<RunRepository, 'someWait'>,
    turnMs: number,
  ) {
    this.#nextLookMs = performance.now() + turnMs;
  }

  /** True once others wait and the turn has lasted long enough. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** False once the turn is over. Asks at most once a second whether others wait; meanwhile the run goes on. */
  lasts(): boolean {
    const nowMs = performance.now();
    if (nowMs >= this.#nextLookMs) {
      this.#nextLookMs = nowMs + LOOK_MS;
      this.runs.someWait().then(
        (wait) => (this.#isOver = wait),
        () => undefined, // The database does not answer: the run notices by itself.
      );
    }
    return !this.#isOver;
  }
}
