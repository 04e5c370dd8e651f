import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import type { SandboxLogger } from '../logger.js';
import { ApiError } from './errors.js';

/** The errors of body parsers: they have a status and may be shown. */
const parserError = z.object({ status: z.int().min(400).max(499), message: z.string() });

const DETAILS: Readonly<Record<number, string>> = {
  400: 'Malformed request.',
  404: 'Not found.',
  413: 'Request body is too large.',
};

/** Every failure as documented: field errors, or an object with `detail` (docs/catalog-rules.md#errors). */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  constructor(private readonly logger: SandboxLogger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) {
      response.end();
      return;
    }
    const { status, body } = this.answerTo(error);
    response.status(status).json(body);
  }

  private answerTo(error: unknown): { readonly status: number; readonly body: object } {
    if (error instanceof ApiError) return { status: error.status, body: error.body };
    const status =
      error instanceof HttpException ? error.getStatus() : parserError.safeParse(error).data?.status;
    if (status === undefined || status >= 500) {
      this.logger.error('A request met an unexpected error', error);
      return { status: 500, body: { detail: 'Internal server error.' } };
    }
    return {
      status,
      body: { detail: DETAILS[status] ?? (error instanceof Error ? error.message : 'Refused.') },
    };
  }
}
