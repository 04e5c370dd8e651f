import { STATUS_CODES } from 'node:http';
import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Logger } from '../runtime/logger.js';
import { errorLine, isCoded, type ErrorCode } from '../domain/errors.js';
import { isDatabaseAway } from '../operations/outages.js';
import { AnsweredBefore } from './idempotency.interceptor.js';

/** The HTTP status of each error code, for the API and the pages. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  auth: 502,
  throttled: 503,
  transient: 503,
  invalid: 400,
  conflict: 409,
  not_found: 404,
  unavailable: 502,
  misconfigured: 409,
};

/** What programs tell errors of our own by: the codes of errors, and those that only HTTP has. */
export const API_ERROR_CODES = [
  ...(Object.keys(STATUS_OF) as ErrorCode[]),
  'unauthenticated',
  'forbidden',
  'too_large',
  'key_reused',
  'under_way',
  'internal',
] as const;
type ApiErrorCode = (typeof API_ERROR_CODES)[number];
const apiErrorCode = z.enum(API_ERROR_CODES);

const CODE_OF: Readonly<Record<number, ApiErrorCode>> = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  422: 'key_reused',
  429: 'throttled',
  502: 'unavailable',
  503: 'transient',
};

/** The code of an error that has none, by its status. */
export function codeOfStatus(statusCode: number): ApiErrorCode {
  return CODE_OF[statusCode] ?? (statusCode < 500 ? 'invalid' : 'internal');
}

interface Described {
  readonly statusCode: number;
  readonly message: string;
  readonly code?: ApiErrorCode;
  readonly details?: unknown;
}

/** Every error of the HTTP side in one shape: `{ statusCode, error, code, message, requestId?, details? }` (docs/http.md). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(Logger) private readonly log: Pick<Logger, 'error'>) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      // A broken connection tells the client that the answer is not complete.
      response.destroy();
      return;
    }
    if (error instanceof AnsweredBefore) {
      const { status, answer } = error.kept;
      response.status(status).set('idempotency-replayed', 'true').type('json').send(answer);
      return;
    }
    const { statusCode, message, code = codeOfStatus(statusCode), details } = this.#describe(error);
    const requestId = response.getHeader('x-request-id');
    const isUnknown = statusCode === 401;
    if (isUnknown) response.set('www-authenticate', 'Bearer realm="store-sync"');
    response.status(statusCode).json({
      statusCode,
      error: STATUS_CODES[statusCode] ?? 'Error',
      code,
      message,
      // All callers without a token get the same body, so the id is only in the header.
      ...(isUnknown || requestId === undefined ? {} : { requestId }),
      ...(details === undefined ? {} : { details }),
    });
  }

  #describe(error: unknown): Described {
    if (error instanceof HttpException) return describeHttp(error);
    if (isCoded(error))
      return { statusCode: STATUS_OF[error.code], code: error.code, message: errorLine(error) };
    if (isDatabaseAway(error))
      return { statusCode: 503, message: 'the database does not answer: try again in a moment' };
    const parser = bodyParserStatus(error);
    if (parser !== null) return parser;
    this.log.error({ err: error }, 'a request ended on an unforeseen error');
    return { statusCode: 500, message: 'an internal error: see the log of the daemon' };
  }
}

function describeHttp(error: HttpException): Described {
  const body = error.getResponse();
  const details = typeof body === 'object' && 'details' in body ? body.details : undefined;
  const message =
    typeof body === 'object' && 'message' in body && typeof body.message === 'string'
      ? body.message
      : error.message;
  const code =
    typeof body === 'object' && 'code' in body ? apiErrorCode.safeParse(body.code).data : undefined;
  return {
    statusCode: error.getStatus(),
    message,
    ...(code && { code }),
    ...(details === undefined ? {} : { details }),
  };
}

/** The JSON parser's own errors carry a status that says whose fault it was. */
function bodyParserStatus(error: unknown): Described | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null;
  if (error.status < 400 || error.status >= 500) return null;
  return {
    statusCode: error.status,
    message: error.status === 413 ? 'the body is too large' : 'the body cannot be read',
  };
}
