import { Body, Controller, Get, Post, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { ZodPipe } from '../../api/zod.pipe.js';
import { signInPage } from '../layout.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { isSecure, ownPath, SessionGuard } from '../session.guard.js';
import { cookieOf, SESSION_COOKIE, SESSION_SECONDS, Sessions, setCookie } from '../session.js';
import { SignInThrottle } from '../sign-in-throttle.js';
import { messages } from '../messages.js';

const querySchema = z.looseObject({ next: z.string().optional().catch(undefined) });
const bodySchema = z.looseObject({
  token: z.string().max(1000).default(''),
  next: z.string().optional().catch(undefined),
});

/** Signs in with the admin token, and signs out. */
@Controller()
@UseFilters(PageErrorFilter)
export class SignInPages {
  constructor(
    private readonly sessions: Sessions,
    private readonly throttle: SignInThrottle,
  ) {}

  @Get('login')
  show(
    @Query(new ZodPipe(querySchema)) query: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): void {
    const next = ownPath(query.next);
    if (this.sessions.read(cookieOf(request.headers.cookie, SESSION_COOKIE)) !== null) {
      response.redirect(303, next);
      return;
    }
    response.send(signInPage({ next, problem: null }));
  }

  @Post('login')
  signIn(
    @Body(new ZodPipe(bodySchema)) body: z.output<typeof bodySchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): void {
    const next = ownPath(body.next);
    const address = request.ip ?? '';
    const waitMs = this.throttle.waitMs(address);
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      response.status(429).set('retry-after', String(seconds));
      response.send(signInPage({ next, problem: messages.tooManyTokens(seconds) }));
      return;
    }
    if (!this.sessions.isAdminToken(body.token)) {
      this.throttle.failed(address);
      response.status(401).send(signInPage({ next, problem: messages.wrongToken }));
      return;
    }
    this.throttle.succeeded(address);
    const cookie = { maxAgeSeconds: SESSION_SECONDS, secure: isSecure(request) };
    response.append('set-cookie', setCookie(SESSION_COOKIE, this.sessions.issue(), cookie));
    response.redirect(303, next);
  }

  @Post('logout')
  @UseGuards(SessionGuard)
  signOut(@Req() request: Request, @Res() response: Response): void {
    const cookie = { maxAgeSeconds: 0, secure: isSecure(request) };
    response.append('set-cookie', setCookie(SESSION_COOKIE, '', cookie));
    response.redirect(303, '/login');
  }
}
