import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NextFunction, Request, Response } from 'express';
import { signInPath } from './elements.js';
import { securityHeaders } from './security-headers.js';
import { Sessions } from './session.js';
import { problemPage } from './views/problem.js';

/** Paths that programs request: an unknown one of them gets JSON, as everywhere else. */
const FOR_PROGRAMS = /^\/(?:api|webhooks|health|metrics|docs|docs-json|assets)(?:\/|$)/i;

/** Answers a browser on a path that no route has with a page that keeps the navigation. It runs after all routes. */
@Injectable()
export class UnknownPages implements OnModuleInit {
  constructor(
    private readonly http: HttpAdapterHost,
    private readonly sessions: Sessions,
  ) {}

  onModuleInit(): void {
    this.http.httpAdapter.use(this.#show);
  }

  readonly #show = async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || FOR_PROGRAMS.test(request.path) || request.accepts(['json', 'html']) !== 'html') {
      next();
      return;
    }
    const session = await this.sessions.of(request);
    if (session === null) {
      response.redirect(303, signInPath(request.originalUrl));
      return;
    }
    const visitor = { session, notice: null };
    securityHeaders(() => [])(request, response, () => {
      response.status(404).send(problemPage(404, `There is no page ${request.path.slice(0, 200)}.`, visitor));
    });
  };
}
