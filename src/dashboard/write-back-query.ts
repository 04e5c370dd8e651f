import { z } from 'zod';
import { ARRIVED_FATES } from '../domain/arrived-content.js';
import { GATES } from '../domain/gate-finding.js';
import { FIELD_OUTCOMES } from '../domain/write-back-journal.js';
import { STATES, writeBackFilterSchema } from '../operations/write-back-filter.js';
import type { WriteBackFilter } from '../domain/write-back-filter.js';
import { pageListSchema } from './page-query.js';

/** An empty form field counts as absent. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional()).optional();
}

const text = optional(z.string().min(1).max(300));
const day = optional(z.iso.date());

/** The filter of a bulk change, as its forms have it. An invalid value is an error: without it, the change would be wider. */
export const bulkFilterShape = {
  state: optional(z.enum(STATES)),
  store: text,
  run: optional(z.uuid()),
  field: text,
  outcome: optional(z.enum(FIELD_OUTCOMES)),
  actor: text,
  gate: optional(z.enum(GATES)),
  fate: optional(z.enum(ARRIVED_FATES)),
  search: text,
  from: day,
  to: day,
};
const pageFilterSchema = z.object(bulkFilterShape);
export type PageFilter = z.output<typeof pageFilterSchema>;

/** The filter of the review list. */
const reviewShape = {
  store: text.catch(undefined),
  field: text.catch(undefined),
  gate: bulkFilterShape.gate.catch(undefined),
  search: text.catch(undefined),
  from: day.catch(undefined),
  to: day.catch(undefined),
};
const reviewFilterSchema = z.object(reviewShape);
export type ReviewFilter = z.output<typeof reviewFilterSchema>;

/** The list from which a write-back was opened: the position in the review list and its filter, or the journal's address. */
export const listPlaceSchema = reviewFilterSchema.extend({
  at: z.coerce.number().int().min(0).optional().catch(undefined),
  /** The journal with its filter and its offset. */
  journal: z
    .string()
    .max(2000)
    .regex(/^\/journal(\?[\w\-.~%=&+*]*)?$/)
    .optional()
    .catch(undefined),
});
export type ListPlace = z.output<typeof listPlaceSchema>;

/** The parts of a query that are the filter of the review list. */
export function reviewFilterOf(query: unknown): ReviewFilter {
  return reviewFilterSchema.parse(query);
}

/** The filter of the review list and the journal. An invalid value counts as absent, because a person may have typed it. */
export const writeBackListSchema = pageListSchema(STATES).extend({
  ...reviewShape,
  run: bulkFilterShape.run.catch(undefined),
  outcome: bulkFilterShape.outcome.catch(undefined),
  fate: bulkFilterShape.fate.catch(undefined),
  actor: text.catch(undefined),
});

/** The parts of a query that are the filter. */
export function pageFilterOf(query: unknown): PageFilter {
  return pageFilterSchema.parse(query);
}

/** The filter of a bulk change. `to` means the whole of that day. */
export function filterOfPage(given: PageFilter): WriteBackFilter {
  const { to, ...rest } = given;
  return writeBackFilterSchema.parse({
    ...withoutAbsent(rest),
    ...(to !== undefined && { to: dayAfter(to) }),
  });
}

/** Day `2026-11-20` becomes `2026-11-21`. */
export function dayAfter(date: string): string {
  return new Date(new Date(date).getTime() + 86_400_000).toISOString().slice(0, 10);
}

/** The parts that are given. */
export function withoutAbsent(given: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
