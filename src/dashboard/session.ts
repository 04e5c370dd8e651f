import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { sealData, unsealData } from 'iron-session';
import { z } from 'zod';
import { AccessTokens, type Actor } from '../api/access.js';
import { cookieName, cookieOf } from '../api/cookies.js';
import { APP_CONFIG, dashboardUrl, type DashboardAddress } from '../config/index.js';
import { SignOuts } from '../operations/sign-outs.js';
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

/** What the sealed cookie holds. */
const sessionSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  expiresAtMs: z.number(),
  usedAtMs: z.number(),
});
const noticeSchema = z.strictObject({ session: z.string(), text: z.string() });

/**
 * Sign-ins with their state in the cookie: the expiry, the last use and the name of the token. iron-session seals the cookie under a key
 * that is derived from that token, so that a changed token ends its sessions. A row marks a session that was signed out, until its expiry.
 */
@Injectable()
export class Sessions {
  /** The configured address of the dashboard, if it is https. */
  readonly #secureUrl: string | null;

  constructor(
    @Inject(AccessTokens) private readonly tokens: Pick<AccessTokens, 'named'>,
    @Inject(SignOuts) private readonly signOuts: Pick<SignOuts, 'add' | 'has'>,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
    @Inject(APP_CONFIG) config: DashboardAddress,
  ) {
    const url = dashboardUrl(config);
    this.#secureUrl = url?.startsWith('https:') === true ? url : null;
  }

  /** The value of a new session's cookie. */
  async issue({ name }: Pick<Actor, 'name'>): Promise<string> {
    const nowMs = this.#nowMs();
    const expiresAtMs = nowMs + SESSION_SECONDS * 1000;
    return this.#cookie({ id: randomBytes(18).toString('base64url'), name, expiresAtMs, usedAtMs: nowMs });
  }

  /** The session's cookie with this moment as its last use; null while the present one is recent enough. */
  async renewed({ name, id, expiresAtMs, usedAtMs }: Session): Promise<string | null> {
    const nowMs = this.#nowMs();
    if (nowMs - usedAtMs < RENEW_AFTER_MS) return null;
    return this.#cookie({ id, name, expiresAtMs, usedAtMs: nowMs });
  }

  /** The session of a cookie; null when the cookie is absent, invalid, expired, idle for too long or signed out. */
  async read(cookie: string | undefined): Promise<Session | null> {
    const [, name = '', seal = ''] = /^([\w-]{1,63})\.(.+)$/.exec(cookie ?? '') ?? [];
    const holder = this.tokens.named(name);
    if (holder === null) return null;
    const session = await opened(sessionSchema, seal, holder.token);
    if (session?.name !== name) return null;
    const nowMs = this.#nowMs();
    if (session.expiresAtMs <= nowMs || session.usedAtMs + IDLE_SECONDS * 1000 <= nowMs) return null;
    return (await this.signOuts.has(session.id)) ? null : { ...session, role: holder.role };
  }

  /** The session of a request. */
  async of(request: Request): Promise<Session | null> {
    return this.read(this.cookieOf(request, SESSION_COOKIE));
  }

  /** Ends the session in every process, also for a copy of its cookie. */
  async end(session: Session): Promise<void> {
    await this.signOuts.add(session.id, new Date(session.expiresAtMs));
  }

  /** A notice for the session's next page, as a sealed cookie value, because it returns from the browser. */
  async notice({ name, id }: Pick<Session, 'name' | 'id'>, text: string): Promise<string> {
    return sealed({ session: id, text: shortened(text) }, this.#token(name));
  }

  async readNotice({ name, id }: Pick<Session, 'name' | 'id'>, cookie: string): Promise<string | null> {
    const notice = await opened(noticeSchema, cookie, this.#token(name));
    return notice?.session === id ? notice.text : null;
  }

  /** The value of a cookie, under the name that fits the connection. */
  cookieOf(request: Request, name: string): string | undefined {
    return cookieOf(request.headers.cookie, cookieName(name, this.#secure(request)));
  }

  /** `maxAgeSeconds` 0 removes the cookie. */
  setCookie(request: Request, response: Response, name: string, value: string, maxAgeSeconds: number): void {
    response.append('set-cookie', setCookie(name, value, { maxAgeSeconds, secure: this.#secure(request) }));
  }

  /**
   * The https address to sign in at, where a form came by plain http and the browser would drop the cookie; null where it keeps it.
   * Browsers send `Sec-Fetch-Site` on every trustworthy connection.
   */
  keptOnlyAt(request: Pick<Request, 'headers' | 'secure'>): string | null {
    const { 'sec-fetch-site': site, origin } = request.headers;
    const isPlain = site === undefined && origin !== undefined && !origin.startsWith('https:');
    return isPlain && !cameByHttps(request) ? this.#secureUrl : null;
  }

  /** True when the browser uses https: as the connection or the proxy says, or the address of the dashboard. */
  #secure(request: Request): boolean {
    return this.#secureUrl !== null || cameByHttps(request);
  }

  async #cookie(session: z.output<typeof sessionSchema>): Promise<string> {
    return `${session.name}.${await sealed(session, this.#token(session.name))}`;
  }

  #token(name: string): string {
    return this.tokens.named(name)?.token ?? '';
  }

  #nowMs(): number {
    return this.clock.now().getTime();
  }
}

function cameByHttps({ headers, secure }: Pick<Request, 'headers' | 'secure'>): boolean {
  const forwarded = headers['x-forwarded-proto'];
  const first = (Array.isArray(forwarded) ? forwarded[0] : forwarded)?.split(',')[0]?.trim();
  return secure || first === 'https';
}

/** iron-session has a clock of its own, and our sessions end by the application's: its seals have no end. */
const NO_END = { ttl: 0 };

async function sealed(data: object, token: string): Promise<string> {
  return sealData(data, { password: passwordOf(token), ...NO_END });
}

/** Null for what another token sealed, what was changed, and what is no seal. */
async function opened<T>(schema: z.ZodType<T>, seal: string, token: string): Promise<T | null> {
  try {
    return schema.safeParse(await unsealData(seal, { password: passwordOf(token), ...NO_END })).data ?? null;
  } catch {
    // The library throws for a text that is no seal at all.
    return null;
  }
}

function passwordOf(token: string): string {
  return derivedKey(token, 'dashboard session').toString('hex');
}

/** Browsers limit a cookie to 4 KB, including its name and the seal, which makes twice as many bytes of a text. */
const NOTICE_BYTES = 1500;

/** The beginning of a text that fits. Its bytes are counted as JSON, which writes `\u0001` with six. */
function shortened(text: string): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > NOTICE_BYTES) break;
    kept += character;
  }
  return kept;
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
