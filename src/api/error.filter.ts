import { STATUS_CODES } from 'node:http';
import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { Logger } from '../runtime/logger.js';
import { errorLine, isCoded, type ErrorCode } from '../domain/errors.js';
import { messages } from './messages.js';

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

/** Every error of the HTTP side in one shape: `{ statusCode, error, message, details? }` (docs/http.md). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(Logger) private readonly log: Pick<Logger, 'error'>) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.end();
      return;
    }
    const { statusCode, message, details } = this.#describe(error);
    response.status(statusCode).json({
      statusCode,
      error: STATUS_CODES[statusCode] ?? 'Error',
      message,
      ...(details === undefined ? {} : { details }),
    });
  }

  #describe(error: unknown): { statusCode: number; message: string; details?: unknown } {
    if (error instanceof HttpException) return describeHttp(error);
    if (isCoded(error)) return { statusCode: STATUS_OF[error.code], message: errorLine(error) };
    const parser = bodyParserStatus(error);
    if (parser !== null) return parser;
    this.log.error({ err: error }, messages.unforeseen);
    return { statusCode: 500, message: messages.internalError };
  }
}

function describeHttp(error: HttpException): { statusCode: number; message: string; details?: unknown } {
  const body = error.getResponse();
  const details = typeof body === 'object' && 'details' in body ? body.details : undefined;
  const message =
    typeof body === 'object' && 'message' in body && typeof body.message === 'string'
      ? body.message
      : error.message;
  return { statusCode: error.getStatus(), message, ...(details === undefined ? {} : { details }) };
}

/** The JSON parser's own errors carry a status that says whose fault it was. */
function bodyParserStatus(error: unknown): { statusCode: number; message: string } | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null;
  if (error.status < 400 || error.status >= 500) return null;
  return {
    statusCode: error.status,
    message: error.status === 413 ? messages.bodyTooLarge : messages.bodyUnreadable,
  };
}
