import { messages } from './messages.js';
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AdminAccess } from '../config/index.js';
import { CodedError } from '../domain/errors.js';
import { Clock } from '../runtime/clock.js';

/** The lifetime of a sign-in. */
export const SESSION_SECONDS = 12 * 3600;
export const SESSION_COOKIE = 'store_sync_session';
export const NOTICE_COOKIE = 'store_sync_notice';

/** A signed-in browser. Only its cookie has the id. */
export interface Session {
  readonly id: string;
  readonly expiresAtMs: number;
}

/**
 * Sessions without state on the server. The cookie has the expiry, signed with a key that is derived from the admin
 * token. So a new admin token ends every session.
 */
@Injectable()
export class Sessions {
  readonly #adminToken: string;
  readonly #key: Buffer;

  /** Throws `misconfigured` without an admin token: a sign-in without one would be unsafe. */
  constructor(
    @Inject(APP_CONFIG) { server: { adminToken } }: AdminAccess,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
  ) {
    if (adminToken === undefined) throw new CodedError('misconfigured', messages.noAdminToken);
    this.#adminToken = adminToken;
    this.#key = Buffer.from(hkdfSync('sha256', adminToken, '', 'store-sync/dashboard/session', 32));
  }

  /** Compares in constant time, whatever the lengths. */
  isAdminToken(given: string): boolean {
    return timingSafeEqual(this.#mac('token', given), this.#mac('token', this.#adminToken));
  }

  /** The value of a new session's cookie. */
  issue(): string {
    const body = `${this.clock.now().getTime() + SESSION_SECONDS * 1000}.${randomBytes(18).toString('base64url')}`;
    return `${body}.${this.#mac('session', body).toString('base64url')}`;
  }

  /** The session of a cookie; null when the cookie is absent, invalid or expired. */
  read(cookie: string | undefined): Session | null {
    const match = /^((\d{1,15})\.([\w-]{24}))\.([\w-]{43})$/.exec(cookie ?? '');
    const [, body, end, id, signature] = match ?? [];
    if (body === undefined || end === undefined || id === undefined || signature === undefined) return null;
    if (!this.#signed('session', body, signature)) return null;
    const expiresAtMs = Number(end);
    return expiresAtMs > this.clock.now().getTime() ? { id, expiresAtMs } : null;
  }

  /** The token in every form of the session. Another site can make the browser post, but cannot know the token. */
  formToken(session: Session): string {
    return this.#mac('form', session.id).toString('base64url');
  }

  isFormToken(session: Session, given: string): boolean {
    return this.#signed('form', session.id, given);
  }

  /** A notice for the session's next page, as a signed cookie value, because it returns from the browser. */
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

/** Browsers limit a cookie to 4 KB, including its name and the signature. */
const NOTICE_LENGTH = 1500;

/**
 * One cookie of a request's header. Of several with the same name, the first, because browsers put the most specific
 * one first.
 */
export function cookieOf(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

/**
 * `maxAgeSeconds` 0 removes the cookie. `secure`: the browser uses https, to this process or to the proxy before it.
 */
export function setCookie(
  name: string,
  value: string,
  options: { readonly maxAgeSeconds: number; readonly secure: boolean },
): string {
  const secure = options.secure ? '; Secure' : '';
  return `${name}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
