import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Logger } from '../runtime/logger.js';
import { errorLine, isCoded } from '../domain/errors.js';
import { STATUS_OF } from '../api/error.filter.js';
import { isDatabaseAway } from '../operations/outages.js';
import { asSentence, signInPath } from './elements.js';
import { isForPart, NotSignedInError, OtherAnswer, visitOf } from './visit.js';
import { problemPage } from './views/problem.js';

/** Shows errors as pages. A visitor who is not signed in is sent to the sign-in and returns afterwards. */
@Catch()
export class PageErrorFilter implements ExceptionFilter {
  constructor(@Inject(Logger) private readonly log: Pick<Logger, 'error'>) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const response = http.getResponse<Response>();
    if (response.headersSent) {
      // A broken connection tells the browser that the answer is not complete.
      response.destroy();
      return;
    }
    if (error instanceof NotSignedInError) {
      // A script that requests a part of a page cannot use the sign-in page.
      if (isForPart(http.getRequest<Request>())) response.status(401).send('');
      else response.redirect(303, signInPath(error.wanted));
      return;
    }
    if (error instanceof OtherAnswer) {
      if ('url' in error.answer) response.redirect(303, error.answer.url);
      else response.status(error.answer.status).send(error.answer.page);
      return;
    }
    const { status, message } = this.#described(error);
    const visit = visitOf(http.getRequest<Request>());
    // A notice that waits is kept for the next page.
    const visitor = visit === null ? null : { session: visit.session, notice: null };
    response.status(status).send(problemPage(status, message, visitor));
  }

  #described(error: unknown): { status: number; message: string } {
    if (error instanceof HttpException) return { status: error.getStatus(), message: withDetails(error) };
    if (isCoded(error)) return { status: STATUS_OF[error.code], message: asSentence(errorLine(error)) };
    if (isDatabaseAway(error))
      return {
        status: 503,
        message: 'The database does not answer. Load the page again in a moment. Nothing is lost.',
      };
    this.log.error({ err: error }, 'a page failed with an unexpected error');
    return { status: 500, message: 'An internal error occurred. The log has the details.' };
  }
}

const refusalSchema = z.object({ details: z.array(z.object({ path: z.string(), message: z.string() })) });

/** The message of a refused request with what is wrong with it. */
function withDetails(error: HttpException): string {
  const refusal = refusalSchema.safeParse(error.getResponse());
  if (!refusal.success) return error.message;
  const details = refusal.data.details.map(({ path, message }) =>
    path === '' ? message : `${path}: ${message}`,
  );
  return `The request is invalid. ${details.join('; ')}.`;
}
