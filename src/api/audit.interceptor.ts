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
import { catchError, mergeMap, type Observable } from 'rxjs';
import { AuditRepository, type NewAuditEntry } from '../persistence/audit.repository.js';
import { actorOf } from './allow.js';

/** The metadata of a route that `@Audited` records. */
export const AUDITED = 'store-sync:audited';

const MOST_TARGETS = 1000;
const LONGEST = 300;
const MOST_FILTERS = 20;
/** Fields of requests that say what was asked for besides its targets. */
const DETAILS = ['full', 'force', 'kind', 'field', 'workspace', 'target', 'reason', 'dryRun'] as const;
const TARGETS = ['key', 'id', 'ids'] as const;

/** Records each change before it is made, and its end: no change is made that cannot be recorded. */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly audit: AuditRepository,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const what = this.reflector.get<string>(AUDITED, context.getHandler());
    const id = await this.audit.begin(entryOf(what, context.switchToHttp().getRequest<Request>()));
    return next.handle().pipe(
      mergeMap(async (value: unknown) => {
        await this.audit.end(id, 'done');
        return value;
      }),
      catchError(async (error: unknown) => {
        await this.audit.end(id, 'failed');
        throw error;
      }),
    );
  }
}

/**
 * Records the change that a route makes under this name, as `audit` shows it. `{name}` stands for a route parameter or
 * a field of the body. The interceptor belongs to these routes alone, because deliveries would pay for a global one.
 *
 * @example
 * ‎@Audited('write-back {decision}')
 */
export const Audited = (what: string): MethodDecorator =>
  applyDecorators(SetMetadata(AUDITED, what), UseInterceptors(AuditInterceptor));

function entryOf(what: string, request: Request): NewAuditEntry {
  const body = fieldsOf(request.body);
  const fields = { ...body, ...fieldsOf(request.params) };
  const filter = Object.entries(fieldsOf(body['filter'])).slice(0, MOST_FILTERS);
  const actor = actorOf(request);
  return {
    actor: actor?.name ?? 'nobody',
    role: actor?.role ?? null,
    via: request.originalUrl.startsWith('/api/') ? 'api' : 'dashboard',
    address: request.ip ?? null,
    what: what.replaceAll(/\{(\w{1,20})\}/g, (_all, name: string) => textsOf(fields[name])[0] ?? ''),
    targets: TARGETS.flatMap((name) => textsOf(fields[name])).slice(0, MOST_TARGETS),
    details: Object.fromEntries(
      [...DETAILS.map((name) => [name, fields[name]] as const), ...filter]
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [textsOf(name)[0] ?? '', textsOf(value)]),
    ),
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The input is recorded before validation: shortened, and without characters that the database refuses. */
function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values
    .slice(0, MOST_TARGETS)
    .filter((each) => ['string', 'number', 'boolean'].includes(typeof each))
    .map((each) => String(each).slice(0, LONGEST).toWellFormed().replaceAll('\0', ''));
}
