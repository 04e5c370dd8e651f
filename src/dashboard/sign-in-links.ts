import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { AccessTokens, type Actor } from '../api/access.js';
import { SignOuts } from '../operations/sign-outs.js';
import { Clock } from '../runtime/clock.js';
import { derivedKey, isSameCode } from '../runtime/derived-key.js';

const LINK_MS = 10 * 60_000;
/** Name of the token, end in milliseconds, a random id, and the code over them. */
const FORM = /^(([\w-]{1,63})\.(\d{1,16})\.([\w-]{24}))\.([\w-]{43})$/;

/**
 * Links that sign in once, within ten minutes. A link is signed under a key that is derived from its token, so that only the program can make
 * one, and a changed token ends it. A used one leaves the hash of its id.
 */
@Injectable()
export class SignInLinks {
  constructor(
    @Inject(AccessTokens) private readonly tokens: Pick<AccessTokens, 'named'>,
    @Inject(SignOuts) private readonly used: Pick<SignOuts, 'isFirstUse'>,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
  ) {}

  /** The path of a new link for the holder of this token; null where there is no such token. */
  pathFor(name: string): string | null {
    const holder = this.tokens.named(name);
    return holder === null ? null : signInPath(name, holder.token, this.clock.now());
  }

  /** Uses the link up; null for one that is used, too old or not ours. */
  async use(link: string): Promise<Actor | null> {
    const [, signed = '', name = '', until = '', id = '', code = ''] = FORM.exec(link) ?? [];
    const holder = this.tokens.named(name);
    if (holder === null || !isSameCode(code, codeOf(signed, holder.token))) return null;
    const untilMs = Number(until);
    if (untilMs <= this.clock.now().getTime()) return null;
    // Remembered for longer: the clock of the database may be ahead.
    return (await this.used.isFirstUse(id, new Date(untilMs + LINK_MS))) ? holder : null;
  }
}

/** The path of a new link for the holder of a token. */
export function signInPath(name: string, token: string, now: Date): string {
  const signed = `${name}.${String(now.getTime() + LINK_MS)}.${randomBytes(18).toString('base64url')}`;
  return `/sign-in?link=${signed}.${codeOf(signed, token)}`;
}

function codeOf(signed: string, token: string): string {
  return createHmac('sha256', derivedKey(token, 'sign-in link')).update(signed).digest('base64url');
}
