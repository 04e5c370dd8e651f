/** Database connections of a process by what they are for, 24 together. */
export const CONNECTION_BUDGET = {
  /** Stages, API and dashboard. Each takes one for as long as its statement takes. */
  work: 11,
  /** Receipt alone, so that no amount of other work keeps a delivery waiting. */
  inbox: 5,
  /** Queues in PostgreSQL: one for each of the five workers to listen, and the rest for their statements. */
  queue: 8,
} as const;
