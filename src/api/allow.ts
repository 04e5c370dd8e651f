import { createParamDecorator, ForbiddenException, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { allows, type Actor, type Role } from './access.js';
import { RefusedAttempts } from '../operations/refused-attempts.js';
import { callerOf, targetsOf, whatOf } from './audit-entry.js';

const LONGEST_PATH = 200;

/**
 * The role that a route needs. A route behind `AdminGuard` or `SessionGuard` without it is closed to everybody.
 *
 * @example
 * ‎@Post('replay')
 * ‎@Allow('admin')
 */
export const Allow = Reflector.createDecorator<Role>();

const actors = new WeakMap<Request, Actor>();

/** The metadata of a route that `@Audited` records. */
export const AUDITED = 'store-sync:audited';

/** Admits actors to the routes that their role allows, and records whom it refuses. */
@Injectable()
export class Admission {
  constructor(
    private readonly reflector: Reflector,
    private readonly refused: RefusedAttempts,
  ) {}

  /** Records the actor of the request if its role suffices for the route. Throws 403 otherwise. */
  async admit(context: ExecutionContext, actor: Actor): Promise<void> {
    const needed = this.reflector.get<Role | undefined>(Allow.KEY, context.getHandler());
    if (needed === undefined || !allows(actor.role, needed))
      await this.refuse(
        context,
        actor,
        `this needs the role ${needed ?? 'admin'}; ${actor.name} has ${actor.role}`,
      );
    actors.set(context.switchToHttp().getRequest<Request>(), actor);
  }

  /** Throws 403. Nothing was validated yet, so that the row has only the route and the ids of its address. */
  async refuse(context: ExecutionContext, actor: Actor, reason: string): Promise<never> {
    const request = context.switchToHttp().getRequest<Request>();
    const change = this.reflector.get<string | undefined>(AUDITED, context.getHandler());
    await this.refused.record({
      ...callerOf(request, actor),
      what: change === undefined ? `read ${request.path.slice(0, LONGEST_PATH)}` : whatOf(change, {}),
      targets: targetsOf(request.params),
      details: {},
    });
    throw new ForbiddenException(reason);
  }
}

/** The actor of a request that passed a guard; null where the route has no guard. */
export function actorOf(request: Request): Actor | null {
  return actors.get(request) ?? null;
}

/** The name of the actor, for rows that say who decided. */
export const ActorName = createParamDecorator(
  (_unused: unknown, context) => actorOf(context.switchToHttp().getRequest<Request>())?.name ?? 'nobody',
);
