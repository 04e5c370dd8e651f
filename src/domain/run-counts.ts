/**
 * A run's counts (docs/http.md): `seen` = `created` + `updated` + `unchanged` + `failed`, each product once;
 * `conflicted` counts besides those of which an identifier was withheld.
 * `owed` is what is put off, inside `failed` or besides: see `domain/owed.ts`.
 */
export interface RunCounts {
  readonly seen: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly conflicted: number;
  readonly failed: number;
  readonly orphaned: number;
  readonly generationRequested: number;
  readonly owed: number;
}

export const NO_COUNTS: RunCounts = {
  seen: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  conflicted: 0,
  failed: 0,
  orphaned: 0,
  generationRequested: 0,
  owed: 0,
};
