import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
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

/** The hidden field of every form. */
export const FORM_TOKEN_FIELD = 'form_token';

const formSchema = z.looseObject({ [FORM_TOKEN_FIELD]: z.string() });

/** Thrown when a browser is not signed in. Pages redirect to the sign-in, which returns to the page. */
export class NotSignedInError extends Error {
  override readonly name = 'NotSignedInError';

  constructor(readonly wanted: string) {
    super(messages.notSignedIn);
  }
}

const signedIn = new WeakMap<Request, Session>();

/** Requires a signed-in browser, and for every change a form of the same session. */
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
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const form = formSchema.safeParse(request.body);
      const given = form.success ? form.data[FORM_TOKEN_FIELD] : '';
      if (typeof given !== 'string' || !this.sessions.isFormToken(session, given))
        await this.admission.refuse(context, session, messages.otherSession);
    }
    await this.admission.admit(context, session);
    keepAlive(this.sessions, session, request, http.getResponse<Response>());
    return true;
  }
}

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
  readonly formToken: string;
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
    formToken: sessions.formToken(session),
    notice: sessions.readNotice(session, cookie),
  };
}

/** The visitor, for a page that shows no notice: a notice that waits is kept for the next page. Null without a sign-in. */
export function visitorWithoutNotice(sessions: Sessions, request: Request): Visitor | null {
  const session = signedIn.get(request);
  return session === undefined ? null : { session, formToken: sessions.formToken(session), notice: null };
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
