/** The next start of a workspace's requests. Times are by the clock of the rate. */
export interface Start {
  readonly atMs: number;
  readonly startsInMs: number;
  /** Milliseconds until a pause ends. Nothing was taken when it is above 0. */
  readonly pausedForMs: number;
}

/**
 * Spaces the starts of requests: at most `requestsPerSecond` on average, and at most double in any one second. A refusal (429, 503)
 * pauses all requests and halves the rate, once for all requests that ran at the same time. Each start restores a part of it.
 */
export interface RequestRate {
  take(): Promise<Start>;
  /** Records a refusal of a request that started at `startedAtMs`; null does not lower the rate. */
  slowDown(startedAtMs: number | null, pauseMs: number): Promise<void>;
}

/** The arithmetic of every rate: that of one process, and that of a workspace's row in the database. */
export const RATE_RULES = {
  /** The slowest rate, as a share of the ceiling. */
  floorShare: 1 / 32,
  /** Each start restores this share of the ceiling, so that about fifty restore it completely. */
  recoveryShare: 0.02,
  /** Unused time of this length, or half an interval, may be made up for: late timers, and responses that arrive in clumps. */
  burstMs: 50,
} as const;
