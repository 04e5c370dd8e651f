import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { HttpArgumentsHost } from '@nestjs/common/interfaces/index.js';
import type { Request } from 'express';
import { Admission } from '../api/allow.js';
import { NOTICE_COOKIE, SESSION_COOKIE, SESSION_SECONDS, Sessions, type Session } from './session.js';
import { beginVisit, isForPart, NotSignedInError, Visit } from './visit.js';

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
    // Read before anything is refused, because the page of a refusal shows the navigation too.
    const notice = await this.#notice(request, session);
    beginVisit(request, new Visit(this.sessions, { request, response: http.getResponse() }, session, notice));
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
    const cookie = isForPart(request) ? undefined : this.sessions.cookieOf(request, NOTICE_COOKIE);
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
