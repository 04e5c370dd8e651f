/** The limits on what is written to a store, by the names of their settings under `limits`. */
export const WRITE_CAPS = ['maxWritesPerRun', 'maxWritesPerDay'] as const;
export type WriteCap = (typeof WRITE_CAPS)[number];

/** Why a write-back waits although its store works: a limit on writes, or a gate. */
export const HELD_BY = [...WRITE_CAPS, 'gate'] as const;

/** How many products of a store may be written; 0: any number. */
export interface WriteLimits {
  /** Between the start of one run and the start of the next. */
  readonly maxWritesPerRun: number;
  /** In one day of the time zone. */
  readonly maxWritesPerDay: number;
  readonly timezone: string;
}

/** Why a write waits, for people. */
export function capReason(cap: WriteCap, store: string, limit: number): string {
  const until = cap === 'maxWritesPerRun' ? 'the next run' : 'the next day';
  return `waits for ${until}: limits.${cap} (${String(limit)}) of store ${store} is reached`;
}
