import {
  HttpException,
  HttpStatus,
  Injectable,
  NotFoundException,
  UnauthorizedException,
  type CanActivate,
  type ExecutionContext,
  type NestMiddleware,
} from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { RefusedAttempts } from '../operations/refused-attempts.js';
import { Metrics } from '../observability/metrics/metrics.js';
import { Logger } from '../runtime/logger.js';
import { AccessThrottle } from './access-throttle.js';
import { AccessTokens, type Actor } from './access.js';
import { Admission } from './allow.js';
import { callerOf } from './audit-entry.js';

const TOKEN_NEEDED = 'a bearer token is needed';

const holders = new WeakMap<Request, Actor>();

/**
 * Requires a bearer token before the body of a request is read. Without a configured token the API is off: 404.
 * Without a known token the answer is 401. An address with too many wrong tokens gets 429, even with the right token.
 */
@Injectable()
export class BearerAuthentication implements NestMiddleware<Request, Response> {
  readonly #log: Logger;

  constructor(
    private readonly tokens: AccessTokens,
    private readonly throttle: AccessThrottle,
    private readonly metrics: Metrics,
    private readonly refused: RefusedAttempts,
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'api' });
  }

  readonly use = (request: Request, response: Response, next: NextFunction): void => {
    response.set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    if (!this.tokens.any)
      throw new NotFoundException('the API is off: server.adminToken and server.tokens are not set');
    const address = request.ip ?? '';
    const waitMs = this.throttle.waitMs(address, 'api');
    if (waitMs > 0) {
      this.metrics.accessRefused.inc({ via: 'api', reason: 'throttled' });
      response.set('retry-after', String(Math.ceil(waitMs / 1000)));
      throw new HttpException('too many wrong tokens', HttpStatus.TOO_MANY_REQUESTS);
    }
    const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const holder = given === undefined ? null : this.tokens.holderOf(given);
    if (holder === null) {
      // A request without a token is no guess.
      if (given !== undefined) this.#refuse(request, given);
      throw new UnauthorizedException(TOKEN_NEEDED);
    }
    this.throttle.succeeded(address, holder.role);
    holders.set(request, { name: holder.name, role: holder.role });
    next();
  };

  #refuse(request: Request, token: string): void {
    const address = request.ip ?? '';
    const entry = { ...callerOf(request, null), what: 'sign-in', targets: [], details: {} };
    // A token that is repeated is no further attempt.
    if (this.throttle.failed(address, token)) void this.refused.record(entry);
    this.metrics.accessRefused.inc({ via: 'api', reason: 'wrong_token' });
    this.#log.warn({ address }, 'a request with a wrong bearer token was refused');
  }
}

/** Admits the holder of a bearer token to the routes that its role allows. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly admission: Admission) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const actor = holders.get(context.switchToHttp().getRequest<Request>());
    if (actor === undefined) throw new UnauthorizedException(TOKEN_NEEDED);
    await this.admission.admit(context, actor);
    return true;
  }
}
