/** The next start of a workspace's requests. Times are by the clock of the rate. */
export interface Start {
  readonly atMs: number;
  readonly startsInMs: number;
  /** Milliseconds until a pause ends. Nothing was taken when it is above 0. */
  readonly pausedForMs: number;
}

/** Spaces the starts of requests: at most `requestsPerSecond` on average, and at most double in any one second. */
export interface RequestRate {
  take(): Promise<Start>;
  /** Records a refusal of a request that started at `startedAtMs`; null does not lower the rate. */
  slowDown(startedAtMs: number | null, pauseMs: number): Promise<void>;
}

/** Unused time of this length, or half an interval, may be made up for: late timers, and responses that arrive in clumps. */
export const BURST_MS = 50;
