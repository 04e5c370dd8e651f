import { z } from 'zod';
import { LEFT_BECAUSE } from '../domain/approval.js';
import type { ListPage, PageRequest } from '../persistence/keyset.js';

export type { PageRequest };

/** The most rows that one page of a list has. */
export const PAGE_LIMIT = 200;

const count = (fallback: number, max: number) => z.coerce.number().int().min(0).max(max).default(fallback);

/** The query of every list: one page, newest first by default. */
export const pageQuerySchema = z.strictObject({
  limit: count(50, PAGE_LIMIT).describe('rows of a page'),
  offset: count(0, 10_000_000).describe('rows before it'),
  cursor: z
    .string()
    .max(2000)
    .optional()
    .describe('`next` of the page before: rows that are added meanwhile do not shift the pages'),
  order: z.enum(['desc', 'asc']).default('desc').describe('desc: newest first'),
});

/** Like `pageQuerySchema`, filtered by state, store and product. */
export function listQuerySchema<const States extends readonly string[]>(states: States) {
  return pageQuerySchema.extend({
    state: z.enum(states).optional(),
    store: z.string().min(1).optional().describe('key of a configured store'),
    externalId: z.string().min(1).optional(),
  });
}

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    total: z.int().describe('rows of all pages'),
    limit: z.int(),
    offset: z.int(),
    next: z.string().nullable().describe('cursor of the page after this one; null for the last page'),
  });
}

/** What is shown of a page; the API says `next` besides. */
export interface Page<T> {
  readonly items: T[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export function pageOf<Row, Item>(
  listed: ListPage<Row>,
  { limit, offset }: PageRequest,
  present: (row: Row) => Item,
): Page<Item> & Pick<ListPage<Row>, 'next'> {
  return { items: listed.rows.map(present), total: listed.total, limit, offset, next: listed.next };
}

export const idsSchema = z.strictObject({ ids: z.array(z.string().min(1).max(200)).min(1).max(1000) });

/** The outcome of one of several rows that a person named. */
export const rowOutcomeSchema = z.object({
  id: z.string(),
  ok: z.boolean(),
  /** The row's state afterwards; null for an unknown id. */
  state: z.string().nullable(),
  detail: z.string(),
  left: z
    .enum(LEFT_BECAUSE)
    .optional()
    .describe('of an approval of many: why the text, or a part of it, was left'),
});
export type RowOutcome = z.output<typeof rowOutcomeSchema>;
export const rowOutcomesSchema = z.object({ results: z.array(rowOutcomeSchema) });

export function moment(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}

/** The answer that names what a request made. */
export const idSchema = z.object({ id: z.string() });
