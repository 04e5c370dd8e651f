import { ForbiddenException, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { allows, type Actor, type Role } from './access.js';
import { messages } from './messages.js';

/**
 * The role that a route needs. A route behind `AdminGuard` or `SessionGuard` without it is closed to everybody.
 *
 * @example
 * ‎@Post('replay')
 * ‎@Allow('admin')
 */
export const Allow = Reflector.createDecorator<Role>();

const actors = new WeakMap<Request, Actor>();

/** Records the actor of the request if its role suffices for the route. Throws 403 otherwise. */
export function admit(context: ExecutionContext, reflector: Reflector, actor: Actor): void {
  const role = reflector.get<Role | undefined>(Allow.KEY, context.getHandler());
  if (role === undefined || !allows(actor.role, role))
    throw new ForbiddenException(messages.roleNeeded(role ?? 'admin', actor.name, actor.role));
  actors.set(context.switchToHttp().getRequest<Request>(), actor);
}

/** The actor of a request that passed a guard; null where the route has no guard. */
export function actorOf(request: Request): Actor | null {
  return actors.get(request) ?? null;
}

/** The name of the actor, for rows that say who decided. */
export function actorNameOf(request: Request): string {
  return actorOf(request)?.name ?? 'nobody';
}
