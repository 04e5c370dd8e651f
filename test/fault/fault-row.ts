/** Tests that prove a row: all of a file whose full name (describe and it) contains the text. */
export interface Proof {
  readonly file: string;
  readonly name: string;
}

export interface FaultRow {
  readonly id: string;
  readonly fault: string;
  readonly behaviour: string;
  readonly proofs: readonly Proof[];
}

export const proof = (file: string, ...names: string[]): Proof[] => names.map((name) => ({ file, name }));
