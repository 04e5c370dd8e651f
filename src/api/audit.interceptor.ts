import {
  applyDecorators,
  Injectable,
  SetMetadata,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { z } from 'zod';
import { AuditOperations } from '../operations/audit.js';
import { actorOf, AUDITED } from './allow.js';
import { entryOf } from './audit-entry.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { validatedBody } from './validated-body.js';

/** The outcome of each row that a route was asked to change. */
const outcomesSchema = z.union([
  z.looseObject({ results: z.array(z.looseObject({ ok: z.boolean() })) }).transform(({ results }) => results),
  z.looseObject({ ok: z.boolean() }).transform((result) => [result]),
]);

/**
 * Records each change of a route. The row has only what the route's schema accepts: the body is read by it here, too, because Nest
 * validates after interceptors.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly audit: AuditOperations,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const what = this.reflector.get<string>(AUDITED, context.getHandler());
    const request = context.switchToHttp().getRequest<Request>();
    const body = validatedBody(context, request.body);
    const entry = entryOf(what, request, actorOf(request), body);
    return from(this.audit.change(entry, () => lastValueFrom(next.handle()), changedNothing));
  }
}

/**
 * Records the change that a route makes under this name, as `audit` shows it. `{name}` stands for a route parameter or
 * a field of the body. A request of the API that repeats the key of an earlier one changes nothing, and is not recorded. The interceptors
 * belong to these routes alone, because deliveries would pay for global ones.
 *
 * @example
 * ‎@Audited('write-back {decision}')
 */
export const Audited = (what: string): MethodDecorator =>
  applyDecorators(SetMetadata(AUDITED, what), UseInterceptors(IdempotencyInterceptor, AuditInterceptor));

/** True for an answer that says of each row that it was left as it is. */
function changedNothing(answer: unknown): boolean {
  const outcomes = outcomesSchema.safeParse(answer);
  return outcomes.success && outcomes.data.length > 0 && outcomes.data.every(({ ok }) => !ok);
}
