/** The requests to the sandbox store and its effects, for tests and the demo. */

export interface MutationEntry {
  readonly at: Date;
  /** Name of the mutation field, such as `productUpdate`. */
  readonly name: string;
  /** Key of the field in the answer: its alias or its name. */
  readonly responseKey: string;
  /** Arguments as the API understood them. */
  readonly input: unknown;
  /** The field's value in the answer: what the request selected of it, user errors included. */
  result: unknown;
}

export interface RequestEntry {
  readonly at: Date;
  readonly operationName: string | null;
  /** Names of the root fields; empty for a request that was refused before its document was read. */
  readonly fields: readonly string[];
  readonly variables: unknown;
  /** HTTP status of the answer; null when the connection was cut instead. */
  readonly status: number | null;
  readonly throttled: boolean;
  readonly cost: { readonly requested: number; readonly actual: number | null } | null;
}

export interface DeliveryEntry {
  readonly at: Date;
  readonly topic: string;
  readonly uri: string;
  readonly webhookId: string;
  readonly body: string;
  /** HTTP status that the receiver answered, or null when it could not be reached in time. */
  readonly status: number | null;
  /** Why there is no status. */
  readonly failure: string | null;
}

export interface Ledger {
  readonly mutations: MutationEntry[];
  readonly requests: RequestEntry[];
  readonly deliveries: DeliveryEntry[];
  /** Errors of the sandbox itself; a caller sees INTERNAL_SERVER_ERROR. */
  readonly internalErrors: unknown[];
}

export function emptyLedger(): Ledger {
  return { mutations: [], requests: [], deliveries: [], internalErrors: [] };
}
