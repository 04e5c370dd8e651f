import { pausedSide } from './error-policy.js';
import { errorLine, type CodedError, type Side } from './errors.js';

/**
 * How much of the work with a side is paused: all of it, or only the writes. Reading goes on where only the permission to write is
 * missing.
 */
export type PauseScope = 'everything' | 'writes';

export const PAUSE_CODES = ['credentials_refused', 'write_access_missing', 'shop_unavailable'] as const;
export type PauseCode = (typeof PAUSE_CODES)[number];

/** A side that refuses us, so that nothing is asked of it for a while. */
export interface SidePause {
  readonly side: Side;
  readonly scope: PauseScope;
  readonly code: PauseCode;
  /** A sentence for people. It quotes the side's answer; nothing branches on it. */
  readonly reason: string;
}

const UNAUTHORIZED = 401;

/**
 * The pause that follows when a side refuses a request of this stage; null when the error pauses no side. A refused token stops everything.
 * A write to a store that is denied although the token is valid stops the writes. A shop that is frozen, locked, moved or gone stops
 * everything.
 */
export function pauseAfter(stage: 'run' | 'write-back', error: CodedError): SidePause | null {
  const side = pausedSide(stage, error);
  if (side === null) return null;
  const scope = 'everything';
  if (side === 'catalog') return { side, scope, code: 'credentials_refused', reason: errorLine(error) };
  if (error.code === 'unavailable') return { side, scope, code: 'shop_unavailable', reason: error.message };
  return stage === 'write-back' && error.status !== UNAUTHORIZED
    ? {
        side,
        scope: 'writes',
        code: 'write_access_missing',
        reason: `the store denies writing: ${error.message}`,
      }
    : {
        side,
        scope,
        code: 'credentials_refused',
        reason: error.message,
      };
}
