/** The outcome of a delivery: settled with a note, or to be interpreted again. */
export type Verdict = Settled | Later;

export interface Settled {
  readonly kind: 'settled';
  readonly state: 'processed' | 'parked' | 'failed';
  /** The note's reason as a word for logs: notes quote what the service said, and may hold a product's text. */
  readonly code: string;
  readonly note: string;
  readonly writeBackId?: string;
}

export interface Later {
  readonly kind: 'later';
  readonly code: string;
  readonly note: string;
}

/** Another process may know the store or the workspace: one was just added, or a merchant has just installed it. */
export function notConfigured(code: 'unknown_store' | 'unknown_workspace', name: string): Later {
  return { kind: 'later', code, note: `${name} is not configured` };
}

export function parked(code: string, note: string): Settled {
  return { kind: 'settled', state: 'parked', code, note };
}

export function processed(code: string, note: string, writeBackId?: string): Settled {
  const settled = { kind: 'settled', state: 'processed', code, note } as const;
  return writeBackId === undefined ? settled : { ...settled, writeBackId };
}
