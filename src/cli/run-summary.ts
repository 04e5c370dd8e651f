import { NO_COUNTS } from '../domain/run-counts.js';
import type { SyncRunEntity } from '../persistence/entities/index.js';

/** A run in one line, for people. */
export function runSummary(run: SyncRunEntity): string {
  const counts = { ...NO_COUNTS, ...run.counts };
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
  const error = run.error === null || run.state === 'failed' ? '' : `\n  ${run.error}`;
  return `${run.kind} sync of ${run.store} ${run.state}: ${parts.join(', ')}${error}`;
}
