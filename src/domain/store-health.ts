import type { CodedError } from './errors.js';

/**
 * How much of a store's work is paused: all of it, or only the writes. Reading goes on where only the permission to write is
 * missing.
 */
export type PauseScope = 'everything' | 'writes';

export type PauseCode = 'credentials_refused' | 'write_access_missing';

export interface StorePause {
  readonly scope: PauseScope;
  readonly code: PauseCode;
  /** A sentence for people. It quotes the store's answer; nothing branches on it. */
  readonly reason: string;
}

const UNAUTHORIZED = 401;

/**
 * The pause that follows when the store refuses a request of this stage. A refused token stops everything; a write that is
 * denied although the token is valid stops the writes.
 */
export function pauseAfter(stage: 'run' | 'write-back', error: CodedError): StorePause {
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
