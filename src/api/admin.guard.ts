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
import { Reflector } from '@nestjs/core';
import type { NextFunction, Request, Response } from 'express';
import { Metrics } from '../observability/metrics/metrics.js';
import { Logger } from '../runtime/logger.js';
import { AccessThrottle } from './access-throttle.js';
import { AccessTokens, type Actor } from './access.js';
import { admit } from './allow.js';
import { messages } from './messages.js';

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
    logger: Logger,
  ) {
    this.#log = logger.child({ stage: 'api' });
  }

  readonly use = (request: Request, response: Response, next: NextFunction): void => {
    response.set({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    if (!this.tokens.any) throw new NotFoundException(messages.apiOff);
    const address = request.ip ?? '';
    const waitMs = this.throttle.waitMs(address, 'api');
    if (waitMs > 0) {
      this.metrics.accessRefused.inc({ via: 'api', reason: 'throttled' });
      response.set('retry-after', String(Math.ceil(waitMs / 1000)));
      throw new HttpException(messages.tooManyTokens, HttpStatus.TOO_MANY_REQUESTS);
    }
    const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const holder = given === undefined ? null : this.tokens.holderOf(given);
    if (holder === null) {
      // A request without a token is no guess.
      if (given !== undefined) this.#refuse(address, given);
      throw new UnauthorizedException(messages.tokenNeeded);
    }
    this.throttle.succeeded(address, holder.role);
    holders.set(request, { name: holder.name, role: holder.role });
    next();
  };

  #refuse(address: string, token: string): void {
    this.throttle.failed(address, token);
    this.metrics.accessRefused.inc({ via: 'api', reason: 'wrong_token' });
    this.#log.warn({ address }, messages.wrongToken);
  }
}

/** Admits the holder of a bearer token to the routes that its role allows. */
@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const actor = holders.get(context.switchToHttp().getRequest<Request>());
    if (actor === undefined) throw new UnauthorizedException(messages.tokenNeeded);
    admit(context, this.reflector, actor);
    return true;
  }
}
