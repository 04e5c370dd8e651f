import { z } from 'zod';
import type { PageRequest } from '../operations/paging.js';

export const ROWS_OF_A_PAGE = 50;

/** Not a part of the filter: an odd one begins at the first row. */
export const offsetSchema = z.coerce.number().int().min(0).max(10_000_000).catch(0).default(0);
export const searchSchema = z.string().trim().max(300).optional();

/** The query of a form: an empty field counts as absent. A value of the filter that cannot be read is refused, because a filter that is ignored shows, and changes, too much. */
export function formQuery<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withoutEmpty, z.object(shape));
}

function withoutEmpty(query: unknown): unknown {
  if (typeof query !== 'object' || query === null) return query;
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => typeof value !== 'string' || value.trim() !== ''),
  );
}

/** The query of a list by store. */
export function pageListShape<const States extends readonly string[]>(states: States) {
  return { offset: offsetSchema, state: z.enum(states).optional(), store: searchSchema };
}

/** The query of a list by state, days and text. */
export function datedListShape<const States extends readonly string[]>(states: States) {
  return {
    ...pageListShape(states),
    from: z.iso.date().optional(),
    to: z.iso.date().optional(),
    search: searchSchema,
  };
}

export function pageAt(at: number, limit = ROWS_OF_A_PAGE): PageRequest {
  return { limit, offset: at, order: 'desc' };
}

/** A form field that occurs once, several times or not at all. */
export const severalSchema = z
  .union([z.string().transform((one) => [one]), z.array(z.string())])
  .default([])
  .pipe(z.array(z.string().min(1).max(300)).max(500));
