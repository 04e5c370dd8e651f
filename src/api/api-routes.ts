import { applyDecorators, Controller, Get, HttpCode, Post, SetMetadata, UseGuards } from '@nestjs/common';
import type { Role } from './access.js';
import { AdminGuard } from './admin.guard.js';
import { Allow } from './allow.js';
import { Audited } from './audit.interceptor.js';
import type { AnswerName } from './named-schemas.js';

/** What the OpenAPI document (`openapi.ts`) says of a route, besides its path and the schemas of its arguments. */
export interface RouteDescription {
  readonly summary: string;
  /** The answer on success; its status is the route's own. */
  readonly answer: AnswerName;
  /** Errors that the route may answer, besides those of every route. */
  readonly errors: readonly number[];
}

export const ROUTE_DESCRIPTION = 'store-sync:route-description';

/** A controller of the API: for holders of a token alone. */
export const ApiController = (path: string): ClassDecorator =>
  applyDecorators(Controller(path), UseGuards(AdminGuard));

/** Describes a route for the OpenAPI document. Every route needs it. */
export const Describe = (
  summary: string,
  answer: AnswerName,
  errors: readonly number[] = [],
): MethodDecorator => SetMetadata(ROUTE_DESCRIPTION, { summary, answer, errors } satisfies RouteDescription);

/** A route that reads. */
export const Read = (path = '', role: Role = 'viewer'): MethodDecorator =>
  applyDecorators(Get(path), Allow(role));

/**
 * A route that changes something: the role that it needs, the name of its change in the audit record, and the status of its answer.
 *
 * @example
 * ‎@Change('replay', 'admin', 'delivery replay')
 */
export const Change = (path: string, role: Role, change: string, status: 200 | 202 = 200): MethodDecorator =>
  applyDecorators(Post(path), Allow(role), Audited(change), HttpCode(status));
