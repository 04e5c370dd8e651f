/** Runs at once that the budget below provides for. */
const RUNS_PROVIDED_FOR = 4;

/** Database connections of a process by what they are for, 24 together. */
export const CONNECTION_BUDGET = {
  /** Stages, API and dashboard. Each run keeps one while it plans. */
  work: 11,
  /** Receipt alone, so that no amount of other work keeps a delivery waiting. */
  inbox: 5,
  /** Queues in PostgreSQL: one for each of the five workers to listen, and the rest for their statements. */
  queue: 8,
} as const;

/** The connections for stages, with one more for each run at once that the budget does not provide for. */
export function workConnections(runsAtOnce: number): number {
  return CONNECTION_BUDGET.work + Math.max(0, runsAtOnce - RUNS_PROVIDED_FOR);
}
