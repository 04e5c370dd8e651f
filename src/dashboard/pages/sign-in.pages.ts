import { Body, Controller, Get, Post, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { AccessThrottle } from '../../api/access-throttle.js';
import { AccessTokens, type Actor } from '../../api/access.js';
import { Allow } from '../../api/allow.js';
import { callerOf } from '../../api/audit-entry.js';
import { RefusedAttempts } from '../../operations/refused-attempts.js';
import { AuditOperations } from '../../operations/audit.js';
import { Metrics } from '../../observability/metrics/metrics.js';
import { Logger } from '../../runtime/logger.js';
import { signInLinkPage, signInPage } from '../layout.js';
import { PageErrorFilter } from '../page-error.filter.js';
import { SessionGuard } from '../session.guard.js';
import { ownPath, ThisVisit, type Visit } from '../visit.js';
import { SignInLinks } from '../sign-in-links.js';
import { SESSION_COOKIE, SESSION_SECONDS, Sessions } from '../session.js';

const querySchema = z.looseObject({ next: z.string().optional().catch(undefined) });
const bodySchema = z.looseObject({
  token: z.string().max(1000).default(''),
  next: z.string().optional().catch(undefined),
});

const linkSchema = z.looseObject({ link: z.string().max(300).catch('') });

const SIGN_IN = { what: 'sign-in', targets: [], details: {} };
const SIGN_OUT = { ...SIGN_IN, what: 'sign-out' };

/** Signs in with any configured token or with a link, and signs out. */
@Controller()
@UseFilters(PageErrorFilter)
export class SignInPages {
  readonly #log: Logger;

  constructor(
    private readonly sessions: Sessions,
    private readonly tokens: AccessTokens,
    private readonly links: SignInLinks,
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
    if (this.#isLost(request, response, next) || this.#isThrottled(request, response, next)) return;
    const holder = this.tokens.holderOf(body.token);
    if (holder === null)
      await this.#refuse(request, response, body.token, next, 'This token is not correct.');
    else await this.#admit(request, response, holder, next);
  }

  @Get('sign-in')
  showLink(
    @Query({ schema: linkSchema }) { link }: z.output<typeof linkSchema>,
    @Res() response: Response,
  ): void {
    response.send(signInLinkPage(link));
  }

  @Post('sign-in')
  async signInByLink(
    @Body({ schema: linkSchema }) { link }: z.output<typeof linkSchema>,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    if (this.#isLost(request, response, '/') || this.#isThrottled(request, response, '/')) return;
    const holder = await this.links.use(link);
    const problem = 'This link has been used, or is too old. Sign in with the token.';
    if (holder === null) await this.#refuse(request, response, link, '/', problem);
    else await this.#admit(request, response, holder, '/');
  }

  /** True where the browser would not keep the session. The answer is sent, and a link can still be used at the right address. */
  #isLost(request: Request, response: Response, next: string): boolean {
    const address = this.sessions.keptOnlyAt(request);
    if (address === null) return false;
    const problem = `Your browser came by plain http and would not keep the sign-in. Open ${address} instead.`;
    response.status(400).send(signInPage({ next, problem }));
    return true;
  }

  /** True where the address has to wait: the answer is sent. */
  #isThrottled(request: Request, response: Response, next: string): boolean {
    const waitMs = this.throttle.waitMs(request.ip ?? '', 'dashboard');
    if (waitMs <= 0) return false;
    this.metrics.accessRefused.inc({ via: 'dashboard', reason: 'throttled' });
    const seconds = Math.ceil(waitMs / 1000);
    response.status(429).set('retry-after', String(seconds));
    response.send(signInPage({ next, problem: `Too many wrong tokens. Try again in ${seconds} seconds.` }));
    return true;
  }

  async #refuse(
    request: Request,
    response: Response,
    given: string,
    next: string,
    problem: string,
  ): Promise<void> {
    const address = request.ip ?? '';
    if (this.throttle.failed(address, given))
      await this.refused.record({ ...callerOf(request, null), ...SIGN_IN });
    this.metrics.accessRefused.inc({ via: 'dashboard', reason: 'wrong_token' });
    this.#log.warn({ address }, 'a sign-in with a wrong token was refused');
    response.status(401).send(signInPage({ next, problem }));
  }

  async #admit(request: Request, response: Response, holder: Actor, next: string): Promise<void> {
    await this.audit.record({ ...callerOf(request, holder), ...SIGN_IN });
    this.throttle.succeeded(request.ip ?? '', holder.role);
    const cookie = await this.sessions.issue(holder);
    this.sessions.setCookie(request, response, SESSION_COOKIE, cookie, SESSION_SECONDS);
    response.redirect(303, next);
  }

  @Post('logout')
  @UseGuards(SessionGuard)
  @Allow('viewer')
  async signOut(
    @ThisVisit() { session }: Visit,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.sessions.end(session);
    await this.audit.record({ ...callerOf(request, session), ...SIGN_OUT });
    this.sessions.setCookie(request, response, SESSION_COOKIE, '', 0);
    response.redirect(303, '/login');
  }
}
