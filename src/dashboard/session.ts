import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AccessTokens, type Actor } from '../api/access.js';
import { SessionRepository } from '../persistence/session.repository.js';
import { Clock } from '../runtime/clock.js';
import { derivedKey } from '../runtime/derived-key.js';

/** The longest lifetime of a sign-in. */
export const SESSION_SECONDS = 12 * 3600;
/** A session that asks for nothing ends after this. */
export const IDLE_SECONDS = 3600;
/** A cookie that was used so recently is not renewed. */
const RENEW_AFTER_MS = 60_000;
export const SESSION_COOKIE = 'store_sync_session';
export const NOTICE_COOKIE = 'store_sync_notice';

/** A signed-in browser. Only its cookie has the id. */
export interface Session extends Actor {
  readonly id: string;
  readonly expiresAtMs: number;
  readonly usedAtMs: number;
}

/**
 * Sign-ins with their state in the cookie: the expiry, the last use and the name of the token. The cookie is signed
 * with a key that is derived from that token. So a changed token ends its sessions. A row marks a session that was
 * signed out, until its expiry.
 */
@Injectable()
export class Sessions {
  constructor(
    @Inject(AccessTokens) private readonly tokens: Pick<AccessTokens, 'named'>,
    @Inject(SessionRepository) private readonly revoked: Pick<SessionRepository, 'revoke' | 'isRevoked'>,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** The value of a new session's cookie. */
  issue({ name }: Pick<Actor, 'name'>): string {
    const nowMs = this.#nowMs();
    return this.#cookie(name, nowMs + SESSION_SECONDS * 1000, nowMs, randomBytes(18).toString('base64url'));
  }

  /** The session's cookie with this moment as its last use; null while the present one is recent enough. */
  renewed({ name, id, expiresAtMs, usedAtMs }: Session): string | null {
    const nowMs = this.#nowMs();
    return nowMs - usedAtMs < RENEW_AFTER_MS ? null : this.#cookie(name, expiresAtMs, nowMs, id);
  }

  /** The session of a cookie; null when the cookie is absent, invalid, expired, idle for too long or signed out. */
  async read(cookie: string | undefined): Promise<Session | null> {
    const session = this.#parse(cookie);
    return session === null || (await this.revoked.isRevoked(hashOf(session.id))) ? null : session;
  }

  /** Ends the session in every process, also for a copy of its cookie. */
  async end(session: Session): Promise<void> {
    await this.revoked.revoke(hashOf(session.id), new Date(session.expiresAtMs));
  }

  /** A notice for the session's next page, as a signed cookie value, because it returns from the browser. */
  notice(session: Session, text: string): string {
    const body = Buffer.from(text.slice(0, NOTICE_LENGTH)).toString('base64url');
    return `${body}.${this.#mac(session.name, 'notice', `${session.id}.${body}`).toString('base64url')}`;
  }

  readNotice(session: Session, cookie: string | undefined): string | null {
    const [body = '', signature = ''] = (cookie ?? '').split('.');
    if (!this.#signed(session.name, 'notice', `${session.id}.${body}`, signature)) return null;
    return Buffer.from(body, 'base64url').toString();
  }

  #cookie(name: string, expiresAtMs: number, usedAtMs: number, id: string): string {
    const body = `${String(expiresAtMs)}.${String(usedAtMs)}.${id}.${name}`;
    return `${body}.${this.#mac(name, 'session', body).toString('base64url')}`;
  }

  #parse(cookie: string | undefined): Session | null {
    const match = /^(\d{1,15})\.(\d{1,15})\.([\w-]{24})\.([\w-]{1,63})\.([\w-]{43})$/.exec(cookie ?? '');
    if (match === null || cookie === undefined) return null;
    const [, end = '', used = '', id = '', name = '', signature = ''] = match;
    const holder = this.tokens.named(name);
    if (holder === null) return null;
    if (!this.#signed(name, 'session', cookie.slice(0, -signature.length - 1), signature)) return null;
    const [expiresAtMs, usedAtMs, nowMs] = [Number(end), Number(used), this.#nowMs()];
    if (expiresAtMs <= nowMs || usedAtMs + IDLE_SECONDS * 1000 <= nowMs) return null;
    return { id, name, role: holder.role, expiresAtMs, usedAtMs };
  }

  #nowMs(): number {
    return this.clock.now().getTime();
  }

  #signed(name: string, purpose: string, text: string, signature: string): boolean {
    const given = Buffer.from(signature, 'base64url');
    const own = this.#mac(name, purpose, text);
    return given.length === own.length && timingSafeEqual(given, own);
  }

  #mac(name: string, purpose: string, text: string): Buffer {
    const token = this.tokens.named(name)?.token ?? '';
    const key = derivedKey(token, 'dashboard session');
    return createHmac('sha256', key).update(`${purpose}\n`).update(text).digest();
  }
}

/** Rows have only a hash: the id itself would open the session. */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

/** Browsers limit a cookie to 4 KB, including its name and the signature. */
const NOTICE_LENGTH = 1500;

/** Over https a name that browsers accept only from this host, for every path and with `Secure`. */
export function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name;
}

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
  return `${cookieName(name, options.secure)}=${value}; Path=/; Max-Age=${options.maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
}
