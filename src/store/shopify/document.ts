/** A document that the connector sends. */
export interface StoreDocument {
  /** The operation's name. */
  readonly name: string;
  readonly text: string;
  readonly mutation: boolean;
  /** True when sending it twice has the same effect as once, so that a call with an unknown outcome may be repeated. */
  readonly repeatable: boolean;
  /** The assumed cost until the store has reported one. */
  readonly expectedCost: number;
}

export function query(name: string, expectedCost: number, text: string): StoreDocument {
  return { name, text, mutation: false, repeatable: true, expectedCost };
}

export function mutation(name: string, repeatable: boolean, text: string): StoreDocument {
  return { name, text, mutation: true, repeatable, expectedCost: 12 };
}
