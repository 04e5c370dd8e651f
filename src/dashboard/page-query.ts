import { z } from 'zod';
import type { PageRequest } from '../persistence/listing.repository.js';

export const ROWS_OF_A_PAGE = 50;

/**
 * The query of a list. An invalid value counts as absent, because a person may have typed it. Unknown keys are
 * rejected.
 */
export function pageListSchema<const States extends readonly string[]>(states: States) {
  return z.looseObject({
    offset: z.coerce.number().int().min(0).max(10_000_000).catch(0).default(0),
    state: z.enum(states).optional().catch(undefined),
    store: z.string().min(1).max(200).optional().catch(undefined),
  });
}

/** The text of a search. An empty one counts as absent. */
export const searchSchema = z
  .string()
  .trim()
  .max(200)
  .transform((text) => (text === '' ? undefined : text))
  .optional()
  .catch(undefined);

/** A day of a filter. Anything else counts as absent. */
export const daySchema = z.iso.date().optional().catch(undefined);

export function pageAt(offset: number, limit = ROWS_OF_A_PAGE): PageRequest {
  return { limit, offset, order: 'desc' };
}

/** A form field that occurs once, several times or not at all. */
export const severalSchema = z
  .union([z.string().transform((one) => [one]), z.array(z.string())])
  .default([])
  .pipe(z.array(z.string().min(1).max(300)).max(500));

/** The query of a list by state, days and text. */
export function datedListSchema<const States extends readonly string[]>(states: States) {
  return pageListSchema(states).extend({ from: daySchema, to: daySchema, search: searchSchema });
}
