import { applyDecorators, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import type { Role } from './access.js';
import { AdminGuard } from './admin.guard.js';
import { Allow } from './allow.js';
import { Audited } from './audit.interceptor.js';

/** A controller of the API: for holders of a token alone. */
export const ApiController = (path: string): ClassDecorator =>
  applyDecorators(Controller(path), UseGuards(AdminGuard));

/**
 * A route that changes something: the role that it needs, the name of its change in the audit record, and the status of its answer.
 *
 * @example
 * ‎@Change('replay', 'admin', 'delivery replay')
 */
export const Change = (path: string, role: Role, change: string, status: 200 | 202 = 200): MethodDecorator =>
  applyDecorators(Post(path), Allow(role), Audited(change), HttpCode(status));
