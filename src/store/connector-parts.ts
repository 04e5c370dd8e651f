import type { KeptIdentity } from '../domain/store-port.js';
import type { Logger } from '../runtime/logger.js';
import type { KeptTokens } from './shopify/auth.js';

/** What a process gives to the connectors of its stores, whatever their kind. */
export interface ConnectorParts {
  readonly log: Logger;
  /** The tokens of a store that a merchant installed. */
  readonly tokens?: KeptTokens | undefined;
  /** What is remembered of the shop. Without it, each process believes the shop that it meets. */
  readonly identity?: KeptIdentity | undefined;
  /** What is left of the store's budget of requests. */
  readonly onBudget: (available: number) => void;
  readonly onRequest: (request: RequestReport) => void;
}

export interface RequestReport {
  readonly operation: string;
  /** 1 for the first try. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Null when no response arrived. */
  readonly status: number | null;
  /** The store's own id of the request. */
  readonly requestId: string | null;
  /** `ok`, or the code of the error. */
  readonly outcome: string;
}
