/** The requests to the sandbox shop and what it sent, for tests and the demo. */

export interface RequestEntry {
  readonly at: Date;
  readonly method: string;
  /** Below `/wp-json/`, such as `wc/v3/products/12`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** HTTP status of the answer; null when the connection was cut instead. */
  readonly status: number | null;
}

export interface DeliveryEntry {
  readonly at: Date;
  /** Null for a ping, which is not signed. */
  readonly topic: string | null;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** HTTP status that the receiver answered, or null when it could not be reached in time. */
  readonly status: number | null;
}

export interface Ledger {
  readonly requests: RequestEntry[];
  readonly deliveries: DeliveryEntry[];
  /** Errors of the sandbox itself, such as a request for what it does not have. A caller sees status 500. */
  readonly internalErrors: unknown[];
}
