import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { WriteBackFilter } from '../domain/write-back-filter.js';
import { containing } from './like-pattern.js';

/** When something happened to a write-back last. An index has this expression. */
export const LAST_HAPPENED =
  'greatest(entry.created_at, entry.settled_at, entry.reverted_at, entry.decided_at)';

/** `:search` is the text, `:pattern` the same as a pattern of LIKE. */
const SEARCH = `(entry.external_id ILIKE :pattern OR entry.reason ILIKE :pattern
  OR EXISTS (SELECT 1 FROM store_product AS link WHERE link.external_id = entry.external_id
    AND (link.label ILIKE :pattern OR link.handle ILIKE :pattern))
  OR EXISTS (SELECT 1 FROM product_identifier AS known WHERE known.store = entry.store AND known.product = entry.external_id
    AND known.value = :search))`;

/** Adds the filter to a query whose alias is `entry`. */
export function filterWriteBacks<E extends ObjectLiteral>(
  query: SelectQueryBuilder<E>,
  filter: WriteBackFilter,
): SelectQueryBuilder<E> {
  const { state, store, externalId, run, field, outcome, actor, gate, fate, search, from, to } = filter;
  const equal = { state, store, external_id: externalId, run_id: run, decided_by: actor };
  for (const [column, value] of Object.entries(equal))
    if (value !== undefined) query.andWhere(`entry.${column} = :${column}`, { [column]: value });
  const journal = { ...(field === undefined ? {} : { target: field }), ...(outcome && { outcome }) };
  if (outcome !== undefined)
    query.andWhere('entry.fields @> :journal::jsonb', { journal: JSON.stringify([journal]) });
  else if (field !== undefined)
    query.andWhere('(entry.fields @> :journal::jsonb OR entry.intended @> :journal::jsonb)', {
      journal: JSON.stringify([journal]),
    });
  if (gate !== undefined)
    query.andWhere('entry.gate_findings @> :gates::jsonb', { gates: JSON.stringify([{ gate }]) });
  if (fate === 'not_mapped') query.andWhere('entry.unmapped_count > 0');
  else if (fate !== undefined)
    query.andWhere('entry.arrived @> :fates::jsonb', { fates: JSON.stringify([{ fate }]) });
  if (search !== undefined) query.andWhere(SEARCH, { search, pattern: containing(search) });
  if (from !== undefined) query.andWhere(`${LAST_HAPPENED} >= :from::timestamptz`, { from });
  if (to !== undefined) query.andWhere(`${LAST_HAPPENED} < :to::timestamptz`, { to });
  return query;
}
