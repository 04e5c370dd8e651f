import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { forbidden, unauthorized } from '../http/errors.js';
import { Accounts } from './accounts.js';
import { JwtIssuer } from './jwt.js';
import type { Scope } from './scopes.js';

const SCOPE_KEY = 'catalog-sandbox:scope';

/** The scope that a controller's endpoints ask of the token. */
export const RequiresScope = (scope: Scope) => SetMetadata(SCOPE_KEY, scope);

/** docs/catalog-rules.md#authentication: missing or invalid token 401; valid token without the permission, or without
 * a subscription, 403. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accounts: Accounts,
    private readonly jwt: JwtIssuer,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const token = bearerToken(request.headers.authorization);
    const scopes = await this.scopesOf(token);
    if (scopes === undefined) throw unauthorized('The given token is not valid.');
    const scope = this.reflector.getAllAndOverride<Scope | undefined>(SCOPE_KEY, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (scope === undefined || !scopes.includes(scope)) {
      throw forbidden('You do not have permission to perform this action.');
    }
    if (!(await this.accounts.hasSubscription())) throw forbidden('Your subscription does not cover this.');
    return true;
  }

  private async scopesOf(token: string): Promise<readonly Scope[] | undefined> {
    const accountId = await this.jwt.verify('access', token);
    if (accountId !== undefined) return (await this.accounts.accountById(accountId))?.scopes;
    return this.accounts.scopesOfApiToken(token);
  }
}

/** The token of an Authorization header. Throws 401 when there is none. */
export function bearerToken(header: string | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  if (token === undefined) throw unauthorized('Authentication credentials were not provided.');
  return token;
}
