import { createHmac, randomBytes } from 'node:crypto';
import { derivedKey, isSameCode } from '../runtime/derived-key.js';

const FORM = /^([A-Za-z0-9_-]{22})\.(\d{13})\.([A-Za-z0-9_-]{43})$/;
const LIFETIME_MS = 10 * 60_000;

export interface InstallState {
  readonly id: string;
  readonly until: Date;
}

/**
 * States of the install flow. They need no row until they come back: a code under a key that is derived from the client secret proves
 * that we made one for this shop. A cookie proves that this browser began the flow. Anybody gets such a code, and store events are
 * signed under the client secret itself, so the two must not share a key.
 */
export class InstallStates {
  readonly #key: Buffer;

  constructor(clientSecret: string) {
    this.#key = derivedKey(clientSecret, 'install state');
  }

  make(shop: string, now: Date): string {
    const id = randomBytes(16).toString('base64url');
    const until = String(now.getTime() + LIFETIME_MS);
    return `${id}.${until}.${this.#code(shop, id, until)}`;
  }

  /** Null for a state that we did not make for this shop, that this browser does not have, or that is too old. */
  read(state: string, cookie: string, shop: string, now: Date): InstallState | null {
    const [, id = '', until = '', code = ''] = FORM.exec(state) ?? [];
    if (id === '' || !isSameCode(state, cookie) || !isSameCode(code, this.#code(shop, id, until)))
      return null;
    return Number(until) > now.getTime() ? { id, until: new Date(Number(until)) } : null;
  }

  #code(shop: string, id: string, until: string): string {
    return createHmac('sha256', this.#key).update(`${shop}\n${id}\n${until}`).digest('base64url');
  }
}
