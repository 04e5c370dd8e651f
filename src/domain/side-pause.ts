import type { CodedError } from './errors.js';

/**
 * How much of a store's work is paused: all of it, or only the writes. Reading goes on where only the permission to write is
 * missing.
 */
export type PauseScope = 'everything' | 'writes';

export const PAUSE_CODES = ['credentials_refused', 'write_access_missing', 'shop_unavailable'] as const;
export type PauseCode = (typeof PAUSE_CODES)[number];

export interface StorePause {
  readonly scope: PauseScope;
  readonly code: PauseCode;
  /** A sentence for people. It quotes the store's answer; nothing branches on it. */
  readonly reason: string;
}

const UNAUTHORIZED = 401;

/**
 * The pause that follows when the store refuses a request of this stage. A refused token stops everything; a write that is
 * denied although the token is valid stops the writes. A shop that is frozen, locked, moved or gone stops everything.
 */
export function pauseAfter(stage: 'run' | 'write-back', error: CodedError): StorePause {
  if (error.code === 'unavailable')
    return { scope: 'everything', code: 'shop_unavailable', reason: error.message };
  return stage === 'write-back' && error.status !== UNAUTHORIZED
    ? {
        scope: 'writes',
        code: 'write_access_missing',
        reason: `the store denies writing: ${error.message}`,
      }
    : {
        scope: 'everything',
        code: 'credentials_refused',
        reason: `the store refused the credentials: ${error.message}`,
      };
}
