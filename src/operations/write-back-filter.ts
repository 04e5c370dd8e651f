import { z } from 'zod';
import { ARRIVED_FATES } from '../domain/arrived-content.js';
import { CodedError } from '../domain/errors.js';
import { GATES } from '../domain/gate-finding.js';
import { WRITE_BACK_TRANSITIONS, type WriteBackState } from '../domain/row-states.js';
import type { WriteBackFilter } from '../domain/write-back-filter.js';
import { FIELD_OUTCOMES } from '../domain/write-back-journal.js';
import { issueText } from './issue-text.js';
import { pageQuerySchema } from './paging.js';

export const STATES = Object.keys(WRITE_BACK_TRANSITIONS) as [WriteBackState, ...WriteBackState[]];

const DAY_MS = 86_400_000;
const time = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const text = z.string().min(1).max(300);

export const filterShape = {
  state: z.enum(STATES).optional(),
  store: text.optional().describe('key of a configured store'),
  externalId: text.optional(),
  run: z.uuid().optional().describe('id of the run that asked for the content'),
  field: text.optional().describe('a target, such as title or metafield:catalog.material'),
  outcome: z.enum(FIELD_OUTCOMES).optional().describe('the outcome of a field; with field, of that field'),
  actor: text.optional().describe('who decided last'),
  gate: z.enum(GATES).optional().describe('a gate that holds it back'),
  fate: z
    .enum(ARRIVED_FATES)
    .optional()
    .describe('its result has a value of this fate; not_mapped: no setting maps it'),
  search: text
    .optional()
    .describe('part of a title, handle, external_id or reason, or a whole SKU or barcode'),
  day: z.iso.date().optional().describe('the day on which something happened last, in UTC'),
  from: time.optional().describe('something happened last at this time or later'),
  to: time
    .optional()
    .describe('something happened last before this time, or at latest on this day when it is a date'),
};
const givenFilterSchema = z.strictObject(filterShape);
/** A filter as it was given: each part as a text. */
export type GivenFilter = z.output<typeof givenFilterSchema>;

/** A day is its two ends. Together with `from` or `to`, all of them hold. */
export function filterOf({ day, from, to, ...others }: GivenFilter): WriteBackFilter {
  const starts = [from, day].flatMap((each) => (each === undefined ? [] : new Date(each).getTime()));
  const ends = [
    ...(to === undefined ? [] : [endOf(to)]),
    ...(day === undefined ? [] : [new Date(day).getTime() + DAY_MS]),
  ];
  return {
    ...others,
    ...(starts.length > 0 && { from: new Date(Math.max(...starts)).toISOString() }),
    ...(ends.length > 0 && { to: new Date(Math.min(...ends)).toISOString() }),
  };
}

/** A date means the whole of that day, as in every other list. */
function endOf(to: string): number {
  const at = new Date(to).getTime();
  return DAY_ONLY.test(to) ? at + DAY_MS : at;
}

const DAY_ONLY = /^\d{4}-\d\d-\d\d$/;

/** The filter of bulk changes. */
export const writeBackFilterSchema = givenFilterSchema.transform(filterOf);

/** The query of the list: what happened last comes first. */
export const writeBackQuerySchema = pageQuerySchema.extend(filterShape);
export type WriteBackQuery = z.output<typeof writeBackQuerySchema>;

export function filterOfQuery({
  limit: _limit,
  offset: _offset,
  cursor: _cursor,
  order: _order,
  ...given
}: WriteBackQuery): WriteBackFilter {
  return filterOf(given);
}

/** The parts of command-line texts `name=value`. Throws `invalid` for another form, and for an unknown name or value. */
export function namedTexts(texts: readonly string[]): Readonly<Record<string, string>> {
  const pairs = texts.map((each) => {
    const at = each.indexOf('=');
    if (at < 1) throw new CodedError('invalid', `--filter ${each.slice(0, 60)}: write it as name=value`);
    return [each.slice(0, at), each.slice(at + 1)] as const;
  });
  const given = Object.fromEntries(pairs);
  const { error } = givenFilterSchema.safeParse(given);
  if (error === undefined) return given;
  throw new CodedError('invalid', `--filter: ${issueText(error, Object.keys(filterShape))}`);
}
