/** The state of a daemon and its database at one moment, by name. */
export type Figures = ReadonlyMap<string, Figure>;

export interface Figure {
  readonly value: number;
  /** An amount by which it may grow whatever its size: small figures vary by more than a tenth. */
  readonly slack: number;
  /** Why it grows with the time, where that is intended. It is then reported and not judged. */
  readonly grows?: string;
}

const MOST = 1.1;

/** One line for each figure, and the lines of those that grew by more than a tenth. */
export function compare(
  early: Figures,
  late: Figures,
): { readonly lines: readonly string[]; readonly grown: readonly string[] } {
  const lines: string[] = [];
  const grown: string[] = [];
  for (const name of new Set([...early.keys(), ...late.keys()])) {
    const from = early.get(name)?.value ?? 0;
    const { value: to = 0, slack = 0, grows } = late.get(name) ?? {};
    const isGrown = grows === undefined && to > Math.max(from * MOST, from + slack);
    const ratio = from === 0 ? '' : ` (× ${(to / from).toFixed(2)})`;
    const verdict = grows ?? (isGrown ? 'GROWN' : 'within 10 %');
    const line = `${name}: ${String(from)} → ${String(to)}${ratio}, ${verdict}`;
    lines.push(line);
    if (isGrown) grown.push(line);
  }
  return { lines, grown };
}
