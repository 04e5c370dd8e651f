import type { PresentedRun } from '../operations/present-run.js';

/** A run in one line, for people, with a line for its error and one for each note. */
export function runSummary({ kind, store, status, counts, error, notes }: PresentedRun): string {
  const parts = [
    `${String(counts.seen)} seen`,
    `${String(counts.created)} created`,
    `${String(counts.updated)} updated`,
    `${String(counts.unchanged)} unchanged`,
    `${String(counts.failed)} failed`,
    counts.conflicted > 0 ? `${String(counts.conflicted)} conflicted` : '',
    counts.orphaned > 0 ? `${String(counts.orphaned)} orphaned` : '',
    `${String(counts.generationRequested)} generations requested`,
  ].filter((part) => part !== '');
  const remarks = [...(error === null || status === 'failed' ? [] : [error]), ...notes];
  const more = remarks.map((remark) => `\n  ${remark}`).join('');
  return `${kind} sync of ${store} ${status}: ${parts.join(', ')}${more}`;
}
