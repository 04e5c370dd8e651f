import { PAGE_LIMIT } from '../operations/paging.js';
import { nearestName, type AppConfig } from '../config/index.js';
import { CodedError, errorLine } from '../domain/errors.js';
import type { RowOutcome } from '../operations/paging.js';
import { issueText } from '../operations/issue-text.js';
import { z } from 'zod';
import { StoreSyncCommand } from './command.js';
import { JSON_OPTION, type OptionDeclaration, type CommonOptions } from './options.js';
import { print, printJson } from './output.js';

export interface ListOptions extends CommonOptions {
  readonly state?: string;
  readonly store?: string;
  readonly limit?: string;
  readonly offset?: string;
  readonly json?: boolean;
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

/** Commands that list rows and act on rows by id. */
export abstract class ListCommand<
  Options extends ListOptions = ListOptions,
> extends StoreSyncCommand<Options> {
  protected override checkOptions(config: AppConfig, { store }: Options): void {
    requireStore(config, store);
  }
}

/** Throws `not_found` for a store that is not configured. Otherwise its list would be empty, without an explanation. */
export function requireStore(config: Pick<AppConfig, 'stores'>, store: string | undefined): void {
  if (store === undefined || Object.hasOwn(config.stores, store)) return;
  const known = Object.keys(config.stores);
  throw new CodedError('not_found', unknownStore(store, known));
}

function unknownStore(store: string, known: readonly string[]): string {
  if (known.length === 0)
    return 'no store is configured: create a configuration with store-sync init, or name it with --config';
  const nearest = nearestName(store, known);
  const hint = nearest === null ? '' : `; did you mean ${nearest}?`;
  return `no store "${store}" is configured${hint} (configured: ${known.join(', ')})`;
}

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
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const isUnknown = parsed.error.issues[0]?.code === 'unrecognized_keys';
  throw new CodedError('invalid', `--${isUnknown ? 'filter: ' : ''}${issueText(parsed.error, known)}`);
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
  process.stderr.write(`store-sync: ${refused.map(({ detail }) => errorLine(detail)).join('; ')}\n`);
  return 1;
}
