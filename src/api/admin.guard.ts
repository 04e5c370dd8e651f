import { createHash, timingSafeEqual } from 'node:crypto';
import {
  Injectable,
  Inject,
  NotFoundException,
  UnauthorizedException,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';

/** Injection token of `server.adminToken`; null where none is set. */
export const ADMIN_TOKEN = Symbol('ADMIN_TOKEN');

/** The bearer of `server.adminToken`, compared in constant time. Without a configured token the API is off: 404. */
@Injectable()
export class AdminGuard implements CanActivate {
  // Nest makes an instance of its own for each controller that uses the guard: what it needs has to be injected.
  constructor(@Inject(ADMIN_TOKEN) private readonly adminToken: string | null) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.adminToken === null) throw new NotFoundException('the API is off: server.adminToken is not set');
    const header = context.switchToHttp().getRequest<Request>().headers.authorization ?? '';
    const given = /^Bearer (.+)$/i.exec(header)?.[1];
    if (given === undefined || !sameSecret(given, this.adminToken))
      throw new UnauthorizedException('a bearer token is needed');
    return true;
  }
}

/** Hashes have one length, so that the comparison does not reveal the length of the secret. */
function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
