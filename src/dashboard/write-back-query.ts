import { z } from 'zod';
import { filterOf, filterShape, type GivenFilter } from '../operations/write-back-filter.js';
import type { WriteBackFilter } from '../domain/write-back-filter.js';
import { formQuery, offsetSchema } from './page-query.js';

export type { GivenFilter };

const FILTER_NAMES = Object.keys(filterShape);

/** The query of the review list and of the journal. */
export const writeBackListSchema = formQuery({ ...filterShape, offset: offsetSchema });

const ticks = z
  .string()
  .max(2000)
  .regex(/^(none|\d+(\.\d+)*)$/);
/** The list from which a write-back was opened: the position in the review list and its filter, or the journal's address. */
export const listPlaceSchema = formQuery({
  ...filterShape,
  at: z.coerce.number().int().min(0).optional(),
  /** The journal with its filter and its offset. */
  journal: z
    .string()
    .max(2000)
    .regex(/^\/journal(\?[\w\-.~%=&+*:]*)?$/)
    .optional()
    .catch(undefined),
  /** The fields that are ticked, by their places in the write-back; absent: those that an approval writes. */
  ticks: ticks.optional().catch(undefined),
});
export type ListPlace = z.output<typeof listPlaceSchema>;

/** The filter without the position in the list. */
export function givenOf(query: Readonly<Record<string, unknown>>): GivenFilter {
  return Object.fromEntries(Object.entries(query).filter(([name]) => FILTER_NAMES.includes(name)));
}

/** The filter of the texts that wait for review. */
export function waitingFilter(given: GivenFilter): WriteBackFilter {
  return filterOf({ ...given, state: 'pending_review' });
}

/** The parts that are given. */
export function withoutAbsent(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
