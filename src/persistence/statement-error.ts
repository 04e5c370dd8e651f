import { QueryFailedError } from 'typeorm';
import { CodedError } from '../domain/errors.js';

/**
 * Values that PostgreSQL refuses in any statement: text that is not UTF-8 or has NUL, JSON with \u0000, invalid
 * dates, numbers and ids.
 */
const REFUSED_VALUE = new Set(['22021', '22P05', '22007', '22008', '22P02', '22003']);
const UNIQUE_VIOLATION = '23505';

/** A statement that failed. It holds no values: they are texts of products, and errors are logged. */
export class StatementError extends Error {
  override readonly name = 'StatementError';

  constructor(
    message: string,
    /** PostgreSQL's code, or the system's for a connection that broke. */
    readonly code: string | undefined,
    readonly constraint: string | undefined,
    /** The statement, with its parameters' numbers in place of their values. */
    readonly statement: string,
  ) {
    super(message);
  }
}

/** Whether a row with the same key is there already. */
export function isUniqueViolation(error: unknown): error is StatementError {
  return error instanceof StatementError && error.code === UNIQUE_VIOLATION;
}

/** Whether PostgreSQL refused a value of the statement, so that it fails again for as long as the value is in it. */
export function isRefusedValue(error: unknown): boolean {
  return error instanceof CodedError && error.cause instanceof StatementError;
}

/** A failed query as the rest of the program sees it: `invalid` for a refused value, otherwise a `StatementError`. */
export function statementError(error: unknown): Error {
  if (!(error instanceof QueryFailedError)) return error instanceof Error ? error : new Error(String(error));
  const driverError: unknown = error.driverError;
  const code = textOf(driverError, 'code');
  if (code === undefined || !REFUSED_VALUE.has(code)) {
    return new StatementError(error.message, code, textOf(driverError, 'constraint'), error.query);
  }
  // PostgreSQL's own message quotes the value.
  const cause = new StatementError('a value was refused', code, undefined, error.query);
  return new CodedError('invalid', `the database cannot store or compare one of the values (${code})`, {
    cause,
  });
}

function textOf(error: unknown, property: string): string | undefined {
  const value: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, property) : undefined;
  return typeof value === 'string' ? value : undefined;
}
