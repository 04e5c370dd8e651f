/** One line of the report. */
export interface Figure {
  readonly work: string;
  readonly figure: number;
  readonly unit: string;
  /** What the latencies and limits of both sides take alone; null where there is nothing to wait for. */
  readonly floor: number | null;
  /** Empty for a figure that only informs. */
  readonly goal: string;
  readonly reached: boolean;
}

export const MEGABYTE = 1024 * 1024;

/** A figure that may be at most `most`. */
export function atMost(work: string, figure: number, unit: string, most: number): Figure {
  return { work, figure, unit, floor: null, goal: `≤ ${String(most)} ${unit}`, reached: figure <= most };
}

/** A time that may be at most so many times what the limits alone take. */
export function nearFloor(work: string, figure: number, floor: number, times = 1.1): Figure {
  return {
    ...{ work, figure, unit: 's', floor, goal: `≤ ${String(times)} × the limits` },
    reached: figure <= times * floor,
  };
}

export function printTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ work, figure, unit, floor, goal, reached }) => [
    work,
    `${number(figure)} ${unit}`,
    floor === null ? '' : `${number(floor)} ${unit} (${number(figure / floor)} ×)`,
    goal,
    goal === '' ? '' : reached ? 'reached' : 'MISSED',
  ]);
  const head = ['work', 'figure', 'the limits alone', 'goal', ''];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

function number(value: number): string {
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3);
}

/** The value below which this share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
