import { counted } from '../domain/text.js';
import type { RunCounts } from '../domain/run-counts.js';
import type { PresentedRun } from '../operations/present-run.js';

/** A run in one line, for people, with a line for its error and one for each note. The error of a failed run is left out. */
export function runSummary({ kind, store, status, counts, error, notes }: PresentedRun): string {
  const remarks = [...(error === null || status === 'failed' ? [] : [error]), ...notes];
  const more = remarks.map((remark) => `\n  ${remark}`).join('');
  return `${kind} sync of ${store} ${status}: ${countsText(counts)}${more}`;
}

export function countsText(counts: RunCounts): string {
  return [
    `${String(counts.seen)} seen`,
    `${String(counts.created)} created`,
    `${String(counts.updated)} updated`,
    `${String(counts.unchanged)} unchanged`,
    `${String(counts.failed)} failed`,
    counts.conflicted > 0 ? `${String(counts.conflicted)} with a shared SKU` : '',
    counts.orphaned > 0 ? `${String(counts.orphaned)} gone` : '',
    `${counted(counts.generationRequested, 'generation')} requested`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Why a run failed and, when a limit stopped it, how to continue. Null for every other run. */
export function runFailure({ status, error, stoppedByLimit, store, kind }: PresentedRun): string | null {
  if (status !== 'failed' || error === null) return null;
  return stoppedByLimit
    ? `${error}; if the store is right, run store-sync sync --store ${store}${kind === 'full' ? ' --full' : ''} --force`
    : error;
}

/** The text of `runSummary`, with the reason of a failed run. */
export function runAccount(run: PresentedRun): string {
  const failure = runFailure(run);
  return failure === null ? runSummary(run) : `${runSummary(run)}\n  ${failure}`;
}
