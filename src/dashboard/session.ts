import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AdminAccess } from '../config/index.js';
import { CodedError } from '../domain/errors.js';
import { Clock } from '../runtime/clock.js';

/** How long a sign-in lasts. */
export const SESSION_SECONDS = 12 * 3600;
export const SESSION_COOKIE = 'store_sync_session';
export const NOTICE_COOKIE = 'store_sync_notice';

/** A signed-in browser. The id is known to its cookie alone. */
export interface Session {
  readonly id: string;
  readonly expiresAtMs: number;
}

/**
 * Sign-ins without state on the server: the cookie carries its end, signed with a key that is derived from the admin token.
 * A new admin token therefore ends every session; nothing else does before its time but signing out.
 */
@Injectable()
export class Sessions {
  readonly #adminToken: string;
  readonly #key: Buffer;

  /** Throws `misconfigured` without an admin token: nobody could sign in safely. */
  constructor(
    @Inject(APP_CONFIG) { server: { adminToken } }: AdminAccess,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
  ) {
    if (adminToken === undefined) throw new CodedError('misconfigured', 'server.adminToken is not set');
    this.#adminToken = adminToken;
    this.#key = Buffer.from(hkdfSync('sha256', adminToken, '', 'store-sync dashboard session', 32));
  }

  /** Compared in constant time, whatever the lengths. */
  isAdminToken(given: string): boolean {
    return timingSafeEqual(this.#mac('token', given), this.#mac('token', this.#adminToken));
  }

  /** The value of a new session's cookie. */
  issue(): string {
    const body = `${this.clock.now().getTime() + SESSION_SECONDS * 1000}.${randomBytes(18).toString('base64url')}`;
    return `${body}.${this.#mac('session', body).toString('base64url')}`;
  }

  /** The session of a cookie; null for one that is absent, not ours or over. */
  read(cookie: string | undefined): Session | null {
    const match = /^((\d{1,15})\.([\w-]{24}))\.([\w-]{43})$/.exec(cookie ?? '');
    const [, body, end, id, signature] = match ?? [];
    if (body === undefined || end === undefined || id === undefined || signature === undefined) return null;
    if (!this.#signed('session', body, signature)) return null;
    const expiresAtMs = Number(end);
    return expiresAtMs > this.clock.now().getTime() ? { id, expiresAtMs } : null;
  }

  /** What every form of the session carries: another site can make the browser post, but cannot know this. */
  formToken(session: Session): string {
    return this.#mac('form', session.id).toString('base64url');
  }

  isFormToken(session: Session, given: string): boolean {
    return this.#signed('form', session.id, given);
  }

  /** A notice for the session's next page, as a cookie's value: it comes back from the browser, so it is signed too. */
  notice(session: Session, text: string): string {
    const body = Buffer.from(text.slice(0, NOTICE_LENGTH)).toString('base64url');
    return `${body}.${this.#mac('notice', `${session.id}.${body}`).toString('base64url')}`;
  }

  readNotice(session: Session, cookie: string | undefined): string | null {
    const [body = '', signature = ''] = (cookie ?? '').split('.');
    if (!this.#signed('notice', `${session.id}.${body}`, signature)) return null;
    return Buffer.from(body, 'base64url').toString();
  }

  #signed(purpose: string, text: string, signature: string): boolean {
    const given = Buffer.from(signature, 'base64url');
    const own = this.#mac(purpose, text);
    return given.length === own.length && timingSafeEqual(given, own);
  }

  #mac(purpose: string, text: string): Buffer {
    return createHmac('sha256', this.#key).update(`${purpose}\n`).update(text).digest();
  }
}

/** Cookies are bounded by browsers at 4 KB, with the name and the signature. */
const NOTICE_LENGTH = 1500;

/** One cookie of a request's header; of several of one name the first, as browsers put the closest first. */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

/** `maxAgeSeconds` 0 removes it. `secure`: the browser speaks https, to us or to the proxy before us. */
export function setCookie(
  name: string,
  value: string,
  options: { readonly maxAgeSeconds: number; readonly secure: boolean },
): string {
  const secure = options.secure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
