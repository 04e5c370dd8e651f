import { CodedError } from '../../domain/errors.js';
import type { SearchNote } from './answer.js';

/**
 * The schema promises active products only where no status is named, but stores return others, too. So all statuses
 * are named.
 */
const EVERY_STATUS = 'status:active,draft,archived,unlisted';

/**
 * The search for products of every status that match the operator's query and the time. Times are quoted, because a
 * colon would end an unquoted one. `a OR b c` means `(a OR b) AND c`, so terms can be written side by side. The
 * operator's terms are last, where an open quote cannot affect ours. Throws `misconfigured` for a query that would
 * combine with our terms by its own operator.
 */
export function productSearch(query: string, since: Date | null = null): string {
  const own = query.trim();
  if (/^(OR|AND)\b/.test(own) || /\b(OR|AND|NOT)$/.test(own)) {
    throw new CodedError('misconfigured', `the store filter must not begin or end with an operator: ${own}`);
  }
  const time = since === null ? [] : [`updated_at:>='${toSecond(since)}'`];
  return [...time, EVERY_STATUS, own].filter((term) => term !== '').join(' ');
}

/** Whole seconds, rounded down, because the store has no fractions. */
function toSecond(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/**
 * The store ignores unknown terms and returns everything, with only a note (`extensions.search`). Throws `invalid`
 * with the notes, because the result is wrong.
 */
export function requireHeeded(notes: readonly SearchNote[], search: string): void {
  const warnings = notes.flatMap((note) => note.warnings);
  if (warnings.length === 0) return;
  throw new CodedError('invalid', `the store did not heed all of the search ${JSON.stringify(search)}`, {
    fields: { query: warnings.map((warning) => warning.message) },
  });
}
