import { PAGE_LIMIT } from '../operations/paging.js';
import { CodedError, errorLine } from '../domain/errors.js';
import type { RowOutcome } from '../operations/paging.js';
import { issueText } from '../operations/issue-text.js';
import type { z } from 'zod';
import { JSON_OPTION, type OptionDeclaration, type JsonOptions } from './options.js';
import { print, printJson } from './output.js';
import { reportFailure } from './report.js';

export interface ListOptions extends JsonOptions {
  readonly state?: string;
  readonly store?: string;
  readonly limit?: string;
  readonly offset?: string;
}

export const LIST_OPTIONS: readonly OptionDeclaration[] = [
  { flags: '--state <state>', description: 'list: only rows in this state' },
  { flags: '--store <key>', description: 'list: only rows of this store' },
  {
    flags: '--limit <count>',
    description: `list: maximum number of rows (default 50, at most ${String(PAGE_LIMIT)})`,
  },
  { flags: '--offset <count>', description: 'list: number of rows to skip' },
  JSON_OPTION,
];

/** The list's query from the options, parsed with the schema of the API. Throws `invalid` for invalid options. */
export function queryFrom<Schema extends z.ZodType>(
  schema: Schema,
  options: ListOptions,
  more: Readonly<Record<string, string>> = {},
): z.output<Schema> {
  const { state, store, limit, offset } = options;
  return parsedQuery(schema, { state, store, limit, offset, ...more });
}

/** A query from options of the same names, parsed with the schema of the API. Throws `invalid` for invalid options. */
export function parsedQuery<Schema extends z.ZodType>(
  schema: Schema,
  options: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  throw new CodedError('invalid', `--${issueText(parsed.error, [])}`);
}

/** Rejects options that the action would ignore. An ignored filter or limit would show, or change, more than was asked for. */
export function withoutOptions<Options extends ListOptions>(
  command: string,
  options: Options,
  names: readonly (keyof Options & string)[],
): void {
  const given = names.filter((name) => options[name] !== undefined);
  if (given.length > 0)
    throw new CodedError(
      'invalid',
      `${command} does not take ${given.map((name) => `--${name}`).join(', ')}`,
    );
}

/**
 * Prints the outcome of each row, and refusals also as one line on stderr. The exit status is 1 when a row was
 * refused.
 */
export function reportOutcomes(outcomes: readonly RowOutcome[], json: boolean | undefined): number {
  if (json) printJson({ results: outcomes });
  else for (const { id, ok, detail } of outcomes) if (ok) print(`${id}  ${errorLine(detail)}`);
  const refused = outcomes.filter((outcome) => !outcome.ok);
  if (refused.length === 0) return 0;
  reportFailure(refused.map(({ detail }) => errorLine(detail)).join('; '));
  return 1;
}
