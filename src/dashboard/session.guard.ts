import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Admission } from '../api/allow.js';
import { LONGEST_WANTED } from './elements.js';
import { messages } from './messages.js';
import {
  cookieName,
  cookieOf,
  NOTICE_COOKIE,
  SESSION_COOKIE,
  SESSION_SECONDS,
  Sessions,
  setCookie,
  type Session,
} from './session.js';

/** Thrown when a browser is not signed in. Pages redirect to the sign-in, which returns to the page. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';

  constructor(readonly wanted: string) {
    super(messages.notSignedIn);
  }
}

const signedIn = new WeakMap<Request, Session>();

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
    const session = await this.sessions.read(sessionCookieOf(request));
    if (session === null) throw new NotSignedInError(request.method === 'GET' ? request.originalUrl : '/');
    // Before anything is refused: the page of a refusal keeps the navigation.
    signedIn.set(request, session);
    if (request.method !== 'GET' && request.method !== 'HEAD' && !isOwnForm(request))
      await this.admission.refuse(context, session, messages.foreignForm);
    await this.admission.admit(context, session);
    keepAlive(this.sessions, session, request, http.getResponse<Response>());
    return true;
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

/** The value of the session's cookie, under the name that fits the connection. */
export function sessionCookieOf(request: Request): string | undefined {
  return cookieOf(request.headers.cookie, cookieName(SESSION_COOKIE, isSecure(request)));
}

/** Records the use in the cookie, so that an active session does not end as idle. */
function keepAlive(sessions: Sessions, session: Session, request: Request, response: Response): void {
  const renewed = sessions.renewed(session);
  if (renewed === null) return;
  const cookie = { maxAgeSeconds: SESSION_SECONDS, secure: isSecure(request) };
  response.append('set-cookie', setCookie(SESSION_COOKIE, renewed, cookie));
}

/** The data about a visitor that a page needs. */
export interface Visitor {
  readonly session: Session;
  /** Shown once, on the next page. */
  readonly notice: string | null;
}

/** The visitor of a request that passed the guard. Removes the notice, because this page shows it. */
export function visitorOf(sessions: Sessions, request: Request, response: Response): Visitor {
  const session = sessionOf(request);
  const cookie = cookieOf(request.headers.cookie, cookieName(NOTICE_COOKIE, isSecure(request)));
  if (cookie !== undefined) {
    response.append(
      'set-cookie',
      setCookie(NOTICE_COOKIE, '', { maxAgeSeconds: 0, secure: isSecure(request) }),
    );
  }
  return {
    session,
    notice: sessions.readNotice(session, cookie),
  };
}

/** The visitor, for a page that shows no notice: a notice that waits is kept for the next page. Null without a sign-in. */
export function visitorWithoutNotice(request: Request): Visitor | null {
  const session = signedIn.get(request);
  return session === undefined ? null : { session, notice: null };
}

export function sessionOf(request: Request): Session {
  const session = signedIn.get(request);
  if (session === undefined) throw new NotSignedInError('/');
  return session;
}

/** Answers a form with a redirect to a page that shows `notice`. */
export function seeOther(
  sessions: Sessions,
  request: Request,
  response: Response,
  to: string,
  notice: string,
): void {
  const value = sessions.notice(sessionOf(request), notice);
  response.append(
    'set-cookie',
    setCookie(NOTICE_COOKIE, value, { maxAgeSeconds: 60, secure: isSecure(request) }),
  );
  response.redirect(303, to);
}

/** Whether the browser used https, either to this process or to the proxy before it. */
export function isSecure(request: Request): boolean {
  const forwarded = request.headers['x-forwarded-proto'];
  const first = (Array.isArray(forwarded) ? forwarded[0] : forwarded)?.split(',')[0]?.trim();
  return request.secure || first === 'https';
}

/** `wanted` if it is a path of this host and not overlong; otherwise, as for `//elsewhere.example`, the overview. */
export function ownPath(wanted: string | undefined): string {
  if (wanted === undefined || wanted.length > LONGEST_WANTED) return '/';
  return /^\/(?![/\\])[\w\-./~%:?=&+*]*$/.test(wanted) ? wanted : '/';
}
