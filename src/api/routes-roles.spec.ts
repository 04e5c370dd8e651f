import { describe, expect, it } from '@jest/globals';
import {
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
} from '@nestjs/common/constants.js';
import { RequestMethod, type Type } from '@nestjs/common';
import { PAGES } from '../dashboard/dashboard.js';
import { SessionGuard } from '../dashboard/session.guard.js';
import { allows, ROLES } from './access.js';
import { AdminGuard } from './admin.guard.js';
import { Allow, AUDITED } from './allow.js';
import { AuditInterceptor } from './audit.interceptor.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { API_CONTROLLERS } from './controllers.js';
import { bodySchemaOf, fieldNames } from './validated-body.js';

/** Open to everybody: the orchestrator, Prometheus, the sign-in and its style sheet. */
const OPEN = [
  'GET health/live',
  'GET health/ready',
  'GET metrics',
  'GET assets/:name',
  'GET login',
  'POST login',
  'GET sign-in',
  'POST sign-in',
];
/** Sign-out adds its row to the record itself. */
const UNRECORDED = ['POST logout'];

interface Route {
  readonly name: string;
  readonly guarded: boolean;
  readonly role: unknown;
  readonly audited: boolean;
  readonly changes: boolean;
  /** The fields of its body that the record can have; null without a body. */
  readonly fields: readonly string[] | null;
}

function routesOf(controller: Type): Route[] {
  const base: unknown = Reflect.getMetadata(PATH_METADATA, controller);
  return Object.getOwnPropertyNames(controller.prototype).flatMap((method) => {
    const handler: unknown = Object.getOwnPropertyDescriptor(controller.prototype, method)?.value;
    if (typeof handler !== 'function' || Reflect.getMetadata(METHOD_METADATA, handler) === undefined)
      return [];
    const verb = RequestMethod[Number(Reflect.getMetadata(METHOD_METADATA, handler))] ?? '';
    const path: unknown = Reflect.getMetadata(PATH_METADATA, handler);
    const guards: unknown[] = [controller, handler].flatMap(
      (target) => (Reflect.getMetadata(GUARDS_METADATA, target) as unknown[] | undefined) ?? [],
    );
    const name = `${verb} ${[base, path]
      .map(String)
      .filter((part) => part !== '' && part !== '/')
      .join('/')}`;
    const body = bodySchemaOf({ getClass: <T>() => controller as Type<T>, getHandler: () => handler });
    return {
      name,
      fields: body === null ? null : fieldNames(body),
      guarded: guards.includes(AdminGuard) || guards.includes(SessionGuard),
      role: Reflect.getMetadata(Allow.KEY, handler),
      audited: isAudited(handler),
      changes: verb !== 'GET',
    };
  });
}

/** Named for the record, recorded, and safe to repeat. */
function isAudited(handler: object): boolean {
  const interceptors = (Reflect.getMetadata(INTERCEPTORS_METADATA, handler) ?? []) as unknown[];
  return (
    Reflect.getMetadata(AUDITED, handler) !== undefined &&
    [IdempotencyInterceptor, AuditInterceptor].every((each) => interceptors.includes(each))
  );
}

const routes = [...API_CONTROLLERS, ...PAGES].flatMap(routesOf);

describe('every route of the API and the dashboard', () => {
  it('has a guard and names the role that it needs, unless it is open to everybody', () => {
    expect(routes.length).toBeGreaterThan(40);
    const odd = routes.filter(
      ({ name, guarded, role }) => !OPEN.includes(name) && (!guarded || role === undefined),
    );
    expect(odd).toEqual([]);
  });

  it('that changes something is recorded, and no viewer may call it', () => {
    const odd = routes.filter(
      ({ name, changes, role, audited }) =>
        changes && ![...OPEN, ...UNRECORDED].includes(name) && (!audited || role === 'viewer'),
    );
    expect(odd).toEqual([]);
  });
});

/** The forms that need a reviewer. All others need an admin. */
const REVIEWER_FORMS = [
  'POST review',
  'POST write-backs/:id/decide',
  'POST write-backs/:id/undo',
  'POST write-backs/:id/revert',
  'POST write-backs/:id/reapply',
  'POST bulk',
  'POST bulk/:id/apply',
  'POST bulk/:id/cancel',
];

it('a form of a page needs an admin, unless it decides about texts', () => {
  const forms = PAGES.flatMap(routesOf).filter(({ changes, name }) => changes && !OPEN.includes(name));
  const byReviewers = forms.filter(({ role }) => role === 'reviewer').map(({ name }) => name);
  expect(byReviewers.sort()).toEqual(REVIEWER_FORMS.toSorted());
  const others = forms.filter(({ role }) => role !== 'admin' && role !== 'reviewer');
  expect(others.map(({ name }) => name)).toEqual(UNRECORDED);
});

describe('every route that is recorded and has a body', () => {
  const withBody = routes.filter(({ audited, fields }) => audited && fields !== null);

  it.each(withBody)('declares the fields that the record takes: $name', ({ fields }) => {
    expect(fields).not.toEqual([]);
  });
});

it('roles allow what the roles before them do', () => {
  const table = ROLES.map((role) => ROLES.map((needed) => allows(role, needed)));
  expect(table).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ]);
});
