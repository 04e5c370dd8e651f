const POLL = 'poll:';

/** The dedupe key of what a poll of a task found: one delivery for each task. */
export function pollKey(taskRowId: string): string {
  return `${POLL}${taskRowId}`;
}

/** The row id of the polled task; null for another key. */
export function polledTask(dedupeKey: string): string | null {
  return dedupeKey.startsWith(POLL) ? dedupeKey.slice(POLL.length) : null;
}
