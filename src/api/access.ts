import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from '../config/index.js';

/** The roles of tokens. Each role includes the rights of the roles before it. */
export const ROLES = ['viewer', 'reviewer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The holder of a token: `admin` for `server.adminToken`, otherwise its name in `server.tokens`. */
export interface Actor {
  readonly name: string;
  readonly role: Role;
}

interface KnownToken extends Actor {
  readonly token: string;
}

export const ADMIN = 'admin';

/** The configuration's part that names the tokens. */
export interface TokenSettings {
  readonly server: Pick<AppConfig['server'], 'adminToken' | 'tokens'>;
}

/** The configured tokens. None at all switches API and dashboard off. */
@Injectable()
export class AccessTokens {
  readonly #known: readonly KnownToken[];

  constructor(@Inject(APP_CONFIG) { server }: TokenSettings) {
    this.#known = [
      ...(server.adminToken === undefined
        ? []
        : [{ name: ADMIN, role: 'admin' as const, token: server.adminToken }]),
      ...Object.entries(server.tokens).map(([name, { role, token }]) => ({ name, role, token })),
    ];
  }

  get any(): boolean {
    return this.#known.length > 0;
  }

  /** The holder of the token, or null. Compares with every token in constant time, so that the time does not reveal which one fits. */
  holderOf(given: string): KnownToken | null {
    const fitting = this.#known.filter(({ token }) => sameSecret(given, token));
    return fitting[0] ?? null;
  }

  /** The token of that name as it is configured now. */
  named(name: string): KnownToken | null {
    return this.#known.find((each) => each.name === name) ?? null;
  }
}

export function allows(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Hashes have one length, so that the comparison does not reveal the length of the secret. */
function sameSecret(given: string, secret: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(secret));
}
