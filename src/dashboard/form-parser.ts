import { Injectable, type NestMiddleware } from '@nestjs/common';
import { urlencoded, type NextFunction, type Request, type Response } from 'express';
import { Sessions } from './session.js';

/** A form has at most one page of rows and their fields. */
const FORM = { extended: false, inflate: false, parameterLimit: 2000 };
const parseForm = urlencoded({ ...FORM, limit: '1mb' });
const parseSignIn = urlencoded({ ...FORM, limit: '16kb' });

/** Reads forms. Only a signed-in browser sends large ones: those of thousands of strangers would fill the memory. */
@Injectable()
export class FormParser implements NestMiddleware<Request, Response> {
  constructor(private readonly sessions: Sessions) {}

  readonly use = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    // A failure is not hidden: the guard of the page looks the session up again and reports it.
    const session = request.method === 'POST' ? await this.sessions.of(request).catch(() => null) : null;
    (session === null ? parseSignIn : parseForm)(request, response, next);
  };
}
