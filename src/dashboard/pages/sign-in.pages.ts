import { Body, Controller, Get, Post, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { AccessThrottle } from '../../api/access-throttle.js';
import { AccessTokens } from '../../api/access.js';
import { Allow } from '../../api/allow.js';
import { callerOf } from '../../api/audit-entry.js';
import { RefusedAttempts } from '../../operations/refused-attempts.js';
import { AuditOperations } from '../../operations/audit.js';
import { Metrics } from '../../observability/metrics/metrics.js';
import { Logger } from '../../runtime/logger.js';
import { signInPage } from '../layout.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { ownPath, SessionGuard, sessionOf } from '../session.guard.js';
import { SESSION_COOKIE, SESSION_SECONDS, Sessions } from '../session.js';

const querySchema = z.looseObject({ next: z.string().optional().catch(undefined) });
const bodySchema = z.looseObject({
  token: z.string().max(1000).default(''),
  next: z.string().optional().catch(undefined),
});

const SIGN_IN = { what: 'sign-in', targets: [], details: {} };
const SIGN_OUT = { ...SIGN_IN, what: 'sign-out' };

/** Signs in with any configured token, and signs out. */
@Controller()
@UseFilters(PageErrorFilter)
export class SignInPages {
  readonly #log: Logger;

  constructor(
    private readonly sessions: Sessions,
    private readonly tokens: AccessTokens,
    private readonly throttle: AccessThrottle,
    private readonly metrics: Metrics,
    private readonly audit: AuditOperations,
    private readonly refused: RefusedAttempts,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'dashboard' });
  }

  @Get('login')
  async show(
    @Query({ schema: querySchema }) query: z.output<typeof querySchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const next = ownPath(query.next);
    if ((await this.sessions.of(request)) !== null) {
      response.redirect(303, next);
      return;
    }
    response.send(signInPage({ next, problem: null }));
  }

  @Post('login')
  async signIn(
    @Body({ schema: bodySchema }) body: z.output<typeof bodySchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const next = ownPath(body.next);
    const address = request.ip ?? '';
    const waitMs = this.throttle.waitMs(address, 'dashboard');
    if (waitMs > 0) {
      this.metrics.accessRefused.inc({ via: 'dashboard', reason: 'throttled' });
      const seconds = Math.ceil(waitMs / 1000);
      response.status(429).set('retry-after', String(seconds));
      response.send(signInPage({ next, problem: `Too many wrong tokens. Try again in ${seconds} seconds.` }));
      return;
    }
    const holder = this.tokens.holderOf(body.token);
    if (holder === null) {
      if (this.throttle.failed(address, body.token))
        await this.refused.record({ ...callerOf(request, null), ...SIGN_IN });
      this.metrics.accessRefused.inc({ via: 'dashboard', reason: 'wrong_token' });
      this.#log.warn({ address }, 'a sign-in with a wrong token was refused');
      response.status(401).send(signInPage({ next, problem: 'This token is not correct.' }));
      return;
    }
    await this.audit.record({ ...callerOf(request, holder), ...SIGN_IN });
    this.throttle.succeeded(address, holder.role);
    const cookie = await this.sessions.issue(holder);
    this.sessions.setCookie(request, response, SESSION_COOKIE, cookie, SESSION_SECONDS);
    response.redirect(303, next);
  }

  @Post('logout')
  @UseGuards(SessionGuard)
  @Allow('viewer')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    const session = sessionOf(request);
    await this.sessions.end(session);
    await this.audit.record({ ...callerOf(request, session), ...SIGN_OUT });
    this.sessions.setCookie(request, response, SESSION_COOKIE, '', 0);
    response.redirect(303, '/login');
  }
}
