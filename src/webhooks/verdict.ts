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

export function parked(code: string, note: string): Settled {
  return { kind: 'settled', state: 'parked', code, note };
}

export function processed(code: string, note: string, writeBackId?: string): Settled {
  const settled = { kind: 'settled', state: 'processed', code, note } as const;
  return writeBackId === undefined ? settled : { ...settled, writeBackId };
}
