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
  override readonly name: string = 'StatementError';

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

/**
 * The database could not be reached, or it ended the connection. That says nothing about the work: it goes on when the database is back.
 */
export class DatabaseAwayError extends StatementError {
  override readonly name = 'DatabaseAwayError';

  constructor(
    reason: string,
    code: string | undefined,
    statement: string,
    /** False when no connection was had: then the statement never reached the server. */
    readonly isSent: boolean,
  ) {
    super(`the database did not answer: ${reason}`, code, undefined, statement);
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

/** Codes of a server that ends connections or takes none: broken connections, shutdown, crash, start, too many clients, idle for too long. */
const AWAY = /^(?:0800[013467]|57P0[123]|53300|25P03)$/;
const SQLSTATE = /^[0-9A-Z]{5}$/;
/** The system's code for a pipe that broke has the form of an SQLSTATE. */
const BROKEN_PIPE = 'EPIPE';

/**
 * A failed query as the rest of the program sees it: `DatabaseAwayError` without a connection, `invalid` for a refused value, otherwise a
 * `StatementError`.
 */
export function statementError(error: unknown, statement: string): Error {
  // TypeORM wraps what the driver says of a statement. Anything else was thrown before it was sent.
  if (!(error instanceof QueryFailedError))
    return new DatabaseAwayError(reasonOf(error), textOf(error, 'code'), statement, false);
  const driverError: unknown = error.driverError;
  const code = textOf(driverError, 'code');
  if (code === undefined || code === BROKEN_PIPE || !SQLSTATE.test(code) || AWAY.test(code))
    return new DatabaseAwayError(error.message, code, statement, true);
  if (!REFUSED_VALUE.has(code)) {
    return new StatementError(error.message, code, textOf(driverError, 'constraint'), error.query);
  }
  // PostgreSQL's own message quotes the value.
  const cause = new StatementError('a value was refused', code, undefined, error.query);
  return new CodedError('invalid', `the database cannot store or compare one of the values (${code})`, {
    cause,
  });
}

/** Why no connection was had. The attempts at several addresses are one error without a message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? (textOf(error, 'code') ?? '') : message;
}

function textOf(error: unknown, property: string): string | undefined {
  const value: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, property) : undefined;
  return typeof value === 'string' ? value : undefined;
}
