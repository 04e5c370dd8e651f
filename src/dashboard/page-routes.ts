import { applyDecorators, Controller, Get, Post, Redirect, UseFilters, UseGuards } from '@nestjs/common';
import type { Role } from '../api/access.js';
import { Allow } from '../api/allow.js';
import { Audited } from '../api/audit.interceptor.js';
import { PageErrorFilter } from './page-error.filter.js';
import { SessionGuard } from './session.guard.js';

/** A controller of pages: for signed-in browsers alone, with errors as pages. */
export const Pages = (path = ''): ClassDecorator =>
  applyDecorators(Controller(path), UseGuards(SessionGuard), UseFilters(PageErrorFilter));

/** A page that everybody who is signed in may read. */
export const Page = (path: string | string[] = ''): MethodDecorator =>
  applyDecorators(Get(path), Allow('viewer'));

/**
 * A form of a page: the role that may send it, and the name of its change in the audit record. Its handler returns the page that follows.
 *
 * @example
 * ‎@Form(':id/cancel', 'admin', 'sync cancel')
 */
export const Form = (path: string, role: Role, change: string): MethodDecorator =>
  applyDecorators(Post(path), Allow(role), Audited(change), Redirect('/', 303));
