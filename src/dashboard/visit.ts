import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LONGEST_WANTED } from './elements.js';
import { NOTICE_COOKIE, type Session, type Sessions } from './session.js';

/** Thrown when a browser is not signed in. Pages redirect to the sign-in, which returns to the page. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';

  constructor(readonly wanted: string) {
    super('You are not signed in.');
  }
}

/** Ends a request on another page, or a form with a page, in place of what it would answer. */
export class OtherAnswer extends Error {
  override readonly name = 'OtherAnswer';

  constructor(readonly answer: NextPage | { readonly status: number; readonly page: string }) {
    super('The request has another answer.');
  }
}

/** The data about a visitor that a page needs. */
export interface Visitor {
  readonly session: Session;
  /** Shown once, on the next page. */
  readonly notice: string | null;
}

/** True for a request of the script, which takes a part of the page: nobody reads the rest of it. */
export function isForPart({ headers }: Pick<Request, 'headers'>): boolean {
  return headers['x-requested-with'] === 'fetch';
}

/** The page that a form leads to, as Nest's `Redirect` takes it. */
export interface NextPage {
  readonly url: string;
}

/** A notice that no page has shown by then is not shown any more. */
const NOTICE_SECONDS = 60;

/** A request of a signed-in browser. */
export class Visit implements Visitor {
  constructor(
    private readonly sessions: Sessions,
    private readonly http: { readonly request: Request; readonly response: Response },
    readonly session: Session,
    readonly notice: string | null,
  ) {}

  /** The name of the visitor's token, for rows that say who decided. */
  get name(): string {
    return this.session.name;
  }

  /** The visitor, for a page that shows the notice. Later pages do not show it again. */
  shown(): Visitor {
    if (this.notice !== null) this.#setNotice('', 0);
    return this;
  }

  /** Leads to a page of ours, which shows `notice`. */
  async goTo(url: string, notice: string): Promise<NextPage> {
    this.#setNotice(await this.sessions.notice(this.session, notice), NOTICE_SECONDS);
    return { url };
  }

  #setNotice(value: string, maxAgeSeconds: number): void {
    const { request, response } = this.http;
    this.sessions.setCookie(request, response, NOTICE_COOKIE, value, maxAgeSeconds);
  }
}

const visits = new WeakMap<Request, Visit>();

export function beginVisit(request: Request, visit: Visit): void {
  visits.set(request, visit);
}

/** Null for a browser that is not signed in. */
export function visitOf(request: Request): Visit | null {
  return visits.get(request) ?? null;
}

function knownVisit(context: ExecutionContext): Visit {
  const visit = visitOf(context.switchToHttp().getRequest<Request>());
  if (visit === null) throw new NotSignedInError('/');
  return visit;
}

/** The visit, for a form or a page that shows no notice. */
export const ThisVisit = createParamDecorator((_unused: unknown, context) => knownVisit(context));

/** The visitor, for a page. */
export const ThisVisitor = createParamDecorator((_unused: unknown, context) => knownVisit(context).shown());

/** `wanted` if it is a path of this host and not overlong; otherwise, as for `//elsewhere.example`, the overview. */
export function ownPath(wanted: string | undefined): string {
  if (wanted === undefined || wanted.length > LONGEST_WANTED) return '/';
  return /^\/(?![/\\])[\w\-./~%:?=&+*]*$/.test(wanted) ? wanted : '/';
}
