import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { HttpArgumentsHost } from '@nestjs/common/interfaces/index.js';
import type { Request, Response } from 'express';
import { Admission } from '../api/allow.js';
import { LONGEST_WANTED } from './elements.js';
import { NOTICE_COOKIE, SESSION_COOKIE, SESSION_SECONDS, Sessions, type Session } from './session.js';

/** Thrown when a browser is not signed in. Pages redirect to the sign-in, which returns to the page. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';

  constructor(readonly wanted: string) {
    super('You are not signed in.');
  }
}

/** A notice that no page has shown by then is not shown any more. */
const NOTICE_SECONDS = 60;

const signedIn = new WeakMap<Request, Visitor>();

/** Requires a signed-in browser, and for every change a form of our own pages. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: Sessions,
    private readonly admission: Admission,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const session = await this.sessions.of(request);
    if (session === null) throw new NotSignedInError(request.method === 'GET' ? request.originalUrl : '/');
    // Before anything is refused: the page of a refusal keeps the navigation.
    signedIn.set(request, { session, notice: await this.#notice(request, session) });
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isOwnForm(request))
      await this.admission.refuse(
        context,
        session,
        'This form did not come from a page of this dashboard. Open the page and try again.',
      );
    await this.admission.admit(context, session);
    await keepAlive(this.sessions, session, http);
    return true;
  }

  async #notice(request: Request, session: Session): Promise<string | null> {
    const cookie = this.sessions.cookieOf(request, NOTICE_COOKIE);
    return cookie === undefined ? null : this.sessions.readNotice(session, cookie);
  }
}

/**
 * True for a form of our own pages: the browser says so. It sends `Sec-Fetch-Site` wherever the connection is trustworthy: by https, and to
 * this machine. By plain http to another machine it sends `Origin` alone, and `null` there, because our pages name no referrer. What keeps
 * forms of other sites out then is that the session's cookie is `SameSite=Strict`.
 */
export function isOwnForm({ headers, secure }: Pick<Request, 'headers' | 'secure'>): boolean {
  const { 'sec-fetch-site': site, origin, host = '' } = headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return false;
  if (origin !== 'null') return URL.parse(origin)?.host === host;
  return !secure && !LOOPBACK.test(host);
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

/** Records the use in the cookie, so that an active session does not end as idle. */
async function keepAlive(sessions: Sessions, session: Session, http: HttpArgumentsHost): Promise<void> {
  const renewed = await sessions.renewed(session);
  if (renewed === null) return;
  sessions.setCookie(http.getRequest(), http.getResponse(), SESSION_COOKIE, renewed, SESSION_SECONDS);
}

/** The data about a visitor that a page needs. */
export interface Visitor {
  readonly session: Session;
  /** Shown once, on the next page. */
  readonly notice: string | null;
}

/** The visitor of a request that passed the guard. Removes the notice, because this page shows it. */
export function visitorOf(sessions: Sessions, request: Request, response: Response): Visitor {
  const visitor = signedIn.get(request);
  if (visitor === undefined) throw new NotSignedInError('/');
  if (visitor.notice !== null) sessions.setCookie(request, response, NOTICE_COOKIE, '', 0);
  return visitor;
}

/** The visitor, for a page that shows no notice: a notice that waits is kept for the next page. Null without a sign-in. */
export function visitorWithoutNotice(request: Request): Visitor | null {
  const visitor = signedIn.get(request);
  return visitor === undefined ? null : { ...visitor, notice: null };
}

export function sessionOf(request: Request): Session {
  const visitor = signedIn.get(request);
  if (visitor === undefined) throw new NotSignedInError('/');
  return visitor.session;
}

/** Answers a form with a redirect to a page that shows `notice`. */
export async function seeOther(
  sessions: Sessions,
  request: Request,
  response: Response,
  to: string,
  notice: string,
): Promise<void> {
  const value = await sessions.notice(sessionOf(request), notice);
  sessions.setCookie(request, response, NOTICE_COOKIE, value, NOTICE_SECONDS);
  response.redirect(303, to);
}

/** `wanted` if it is a path of this host and not overlong; otherwise, as for `//elsewhere.example`, the overview. */
export function ownPath(wanted: string | undefined): string {
  if (wanted === undefined || wanted.length > LONGEST_WANTED) return '/';
  return /^\/(?![/\\])[\w\-./~%:?=&+*]*$/.test(wanted) ? wanted : '/';
}
