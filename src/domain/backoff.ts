/**
 * The steps between repetitions, in milliseconds. `Step` is null when no steps are left: then the work is given up, or
 * left to a person.
 */
export interface Backoff<Step extends number | null = number | null> {
  readonly stepsMs: readonly number[];
  readonly longestMs: number;
  /** The step after so many failed attempts, 1 after the first, or after so many looks at a job that still runs. */
  readonly stepMs: (failures: number) => Step;
}

/** Part of each step is decided by chance, so that the work of one outage is not repeated in one moment. */
export interface JitteredBackoff<Step extends number | null = number | null> extends Backoff<Step> {
  /** `random` returns a number from 0 up to 1. The wait is never less than the other side requested. */
  readonly delayMs: (failures: number, random: () => number, requestedMs?: number) => Step;
}

/** Every schedule of repetitions. A fixed interval is none, and stays with the code that uses it. */
export const BACKOFF = {
  /** Runs and write-backs: 1, 5 and 30 s, 2, 10 and 30 min, 2 h. After that, a person decides. */
  outsideWork: jittered(0.5, limited([1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000])),
  /** A delivery whose product is not known yet: a creation or the search for a link may still be running. */
  delivery: limited([500, 2_000, 10_000, 60_000, 300_000, 900_000]),
  /** A row whose worker died: at once twice, then 30 s to 32 min. After that, the row is set aside. */
  workerDeath: limited([0, 0, 30_000, 60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000]),
  /** A product of a run, while the catalog service has temporary faults. */
  product: jittered(0.5, limited([500, 2_000, 8_000, 20_000, 30_000])),
  /** A read from the catalog service. */
  catalogRead: jittered(0.5, limited([1_000, 5_000, 30_000])),
  /** Requests to the catalog service after it asked for fewer. */
  catalogThrottle: jittered(0.5, growing(1_000, 2, 30_000)),
  /** A call to the store. The number of attempts is a setting of the connector. */
  storeCall: jittered(1, growing(500, 2, 60_000)),
  /** The download of an export, while it makes no progress. */
  exportDownload: jittered(1, growing(1_000, 2, 60_000)),
  /** The start of an export while the store runs others. */
  exportSlot: growing(2_000, 2, 15_000),
  /** The next look at a job that runs outside: an export, or creations in the background. */
  outsideJob: growing(250, 1.5, 10_000),
  /** A store or a workspace that refuses every request. */
  sidePause: growing(30_000, 2, 1_800_000),
  /** Notifications: a receiver that was down all night gets them within half an hour of its return. */
  notification: jittered(0.5, endless([1_000, 5_000, 30_000, 120_000, 600_000, 1_800_000])),
  /** The wait before another attempt from an address that sent wrong tokens. */
  wrongToken: growing(1_000, 2, 30_000),
  /** The restart of the embedded PostgreSQL. */
  embeddedServer: growing(200, 2, 10_000),
  /** The connection to the Redis of the queues. */
  redisConnection: growing(200, 2, 2_000),
} as const;

/** The intervals between polls of an open task. The first is a setting, later ones grow up to half an hour. */
export function pollSteps(firstSeconds: number): Backoff<number> {
  return growing(firstSeconds * 1000, 1.5, Math.max(1_800_000, firstSeconds * 1000));
}

function limited(stepsMs: readonly number[]): Backoff {
  return { stepsMs, longestMs: Math.max(...stepsMs), stepMs: (failures) => stepsMs[failures - 1] ?? null };
}

/** Repeats its last step as often as necessary. */
function endless(stepsMs: readonly number[]): Backoff<number> {
  const longestMs = Math.max(...stepsMs);
  return { stepsMs, longestMs, stepMs: (failures) => stepsMs[Math.max(failures, 1) - 1] ?? longestMs };
}

/** Endless steps from the first to the longest, each so many times the one before. */
function growing(firstMs: number, factor: number, longestMs: number): Backoff<number> {
  const steps: number[] = [];
  for (let step = firstMs; step < longestMs; step *= factor) steps.push(Math.round(step));
  return endless([...steps, longestMs]);
}

/** `share`: the part of each step that chance decides. 0.5 waits between half and all of it, 1 up to all of it. */
function jittered(share: number, backoff: Backoff<number>): JitteredBackoff<number>;
function jittered(share: number, backoff: Backoff): JitteredBackoff;
function jittered(share: number, backoff: Backoff): JitteredBackoff {
  return {
    ...backoff,
    delayMs: (failures, random, requestedMs = 0) => {
      const step = backoff.stepMs(failures);
      if (step === null) return null;
      return Math.max(requestedMs, Math.round(step * (1 - share + share * random())));
    },
  };
}
