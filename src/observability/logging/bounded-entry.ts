import { clipped } from '../../domain/text.js';

/** A line over this many characters is shortened. Stacks of a few causes fit. */
export const LONGEST_LINE = 8192;

const LONGEST_TEXT = 1024;
const MOST_MEMBERS = 30;
const DEEPEST = 6;

/** Members of errors with the parameters of a statement, which may contain product texts. */
const STATEMENT_MEMBERS: ReadonlySet<string> = new Set([
  'query',
  'parameters',
  'detail',
  'where',
  'internalQuery',
]);

/** The entry without the parameters of database statements, wherever an error occurs in it. */
export function withoutStatements(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStatements);
  if (!isRecord(value)) return value;
  const isError = typeof value['stack'] === 'string';
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !(isError && (STATEMENT_MEMBERS.has(name) || name === 'driverError')))
      .map(([name, member]) => [name, withoutStatements(member)]),
  );
}

/** The entry with truncated texts, and without long lists and deep values: at most a few times `LONGEST_LINE`. */
export function shortened(entry: unknown): unknown {
  const short = shortenedValue(entry, 0);
  if (JSON.stringify(short).length <= LONGEST_LINE || !isRecord(entry)) return short;
  const { level, time, msg, context } = entry;
  return { level, time, context: textOf(context), msg: textOf(msg), shortened: true };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? clipped(value, LONGEST_TEXT) : undefined;
}

function shortenedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return clipped(value, LONGEST_TEXT);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '…';
  if (Array.isArray(value)) {
    const kept = value.slice(0, MOST_MEMBERS).map((member) => shortenedValue(member, depth + 1));
    return value.length > MOST_MEMBERS ? [...kept, '…'] : kept;
  }
  const members = Object.entries(value).slice(0, MOST_MEMBERS);
  return Object.fromEntries(
    members.map(([name, member]) => [clipped(name, LONGEST_TEXT), shortenedValue(member, depth + 1)]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
