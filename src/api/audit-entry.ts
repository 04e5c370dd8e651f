import type { Request } from 'express';
import { NOBODY } from '../operations/refused-attempts.js';
import type { NewAuditEntry } from '../operations/audit.js';
import type { Actor } from './access.js';

const MOST_TARGETS = 1000;
const LONGEST = 300;
const TARGETS = ['key', 'id', 'ids'] as const;
/** Fields that say nothing about the change: the page to return to, a text (the journal has it), the end of what a form counted. */
const UNRECORDED: readonly string[] = [...TARGETS, 'filter', 'back', 'value', 'until', 'version'];

type Fields = Readonly<Record<string, unknown>>;

/** The row of a change. `body` has the validated fields of the body. */
export function entryOf(what: string, request: Request, actor: Actor | null, body: Fields): NewAuditEntry {
  const fields = { ...body, ...request.params };
  return {
    ...callerOf(request, actor),
    what: whatOf(what, fields),
    targets: targetsOf(fields),
    details: detailsOf(body),
  };
}

export function callerOf(
  request: Request,
  actor: Actor | null,
): Pick<NewAuditEntry, 'actor' | 'role' | 'via' | 'address'> {
  return {
    actor: actor?.name ?? NOBODY,
    role: actor?.role ?? null,
    via: isOfApi(request) ? 'api' : 'dashboard',
    address: request.ip ?? null,
  };
}

/** Express takes an address in capital letters, and one with a host (RFC 9112, section 3.2.2), for the same route. */
export function isOfApi({ originalUrl }: Pick<Request, 'originalUrl'>): boolean {
  return /^(?:https?:\/\/[^/]*)?\/api\//i.test(originalUrl);
}

/** `write-back {decision}` with the decision, or without it where there is none. */
export function whatOf(what: string, fields: Fields): string {
  return what.replaceAll(/\{(\w{1,20})\}/g, (_all, name: string) => textsOf(fields[name])[0] ?? '').trim();
}

export function targetsOf(fields: Fields): string[] {
  return TARGETS.flatMap((name) => textsOf(fields[name])).slice(0, MOST_TARGETS);
}

/** Options that are off are left out. */
function detailsOf(body: Fields): Record<string, string[]> {
  const filter = typeof body['filter'] === 'object' ? body['filter'] : {};
  const given = Object.entries({ ...body, ...filter })
    .filter(([name, value]) => !UNRECORDED.includes(name) && value !== false && value !== '')
    .map(([name, value]) => [name, textsOf(value)] as const);
  return Object.fromEntries(given.filter(([, texts]) => texts.length > 0));
}

/** Shortened, and without characters that the database refuses. */
function textsOf(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values
    .slice(0, MOST_TARGETS)
    .map((each) => (each instanceof Date ? each.toISOString() : each))
    .filter((each) => ['string', 'number', 'boolean'].includes(typeof each))
    .map((each) => String(each).slice(0, LONGEST).toWellFormed().replaceAll('\0', ''));
}
