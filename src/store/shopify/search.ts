import { CodedError } from '../../domain/errors.js';
import type { SearchNote } from './answer.js';

/** The schema promises active products only where no status is named; stores were seen to do otherwise. So all are named. */
const EVERY_STATUS = 'status:active,draft,archived,unlisted';

/**
 * The search for products of every status that the operator's query and the time leave. Times are quoted: a colon would
 * end a bare one, and the store would search for something else. `a OR b c` means `(a OR b) AND c`, so that terms may simply
 * stand side by side; the operator's come last, where an open quote swallows nothing of ours.
 * `misconfigured` for a query that would join our terms by its own operator.
 */
export function productSearch(query: string, since: Date | null = null): string {
  const own = query.trim();
  if (/^(OR|AND)\b/.test(own) || /\b(OR|AND|NOT)$/.test(own)) {
    throw new CodedError('misconfigured', `the store filter must not begin or end with an operator: ${own}`);
  }
  const time = since === null ? [] : [`updated_at:>='${toSecond(since)}'`];
  return [...time, EVERY_STATUS, own].filter((term) => term !== '').join(' ');
}

/** Whole seconds, rounded down: the store keeps no more. */
function toSecond(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/**
 * The store ignores a term that it does not know and answers with everything, with no more than a note (`extensions.search`).
 * Throws `invalid` with the notes: such an answer is a wrong one.
 */
export function requireHeeded(notes: readonly SearchNote[], search: string): void {
  const warnings = notes.flatMap((note) => note.warnings);
  if (warnings.length === 0) return;
  throw new CodedError('invalid', `the store did not heed all of the search ${JSON.stringify(search)}`, {
    fields: { query: warnings.map((warning) => warning.message) },
  });
}
