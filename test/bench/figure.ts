/** One line of the report, which `console.table` prints. */
export interface Figure {
  readonly work: string;
  readonly figure: number;
  readonly unit: string;
  /** What the latencies and limits of both sides take alone, in seconds. */
  readonly limitsAlone?: number;
  readonly goal?: string;
  readonly reached?: boolean;
}

export type Take = (...figures: readonly Figure[]) => void;

export const MEGABYTE = 1024 * 1024;

/** A figure that may be at most `most`. */
export function atMost(work: string, figure: number, unit: string, most: number): Figure {
  return { work, figure: rounded(figure), unit, goal: `≤ ${String(most)}`, reached: figure <= most };
}

/** A time that may be at most 1.1 times what the limits alone take. */
export function nearFloor(work: string, figure: number, floor: number): Figure {
  const reached = figure <= 1.1 * floor;
  return {
    ...{ work, figure: rounded(figure), unit: 's', limitsAlone: rounded(floor) },
    ...{ goal: '≤ 1.1 × the limits', reached },
  };
}

export function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** The value below which this share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
