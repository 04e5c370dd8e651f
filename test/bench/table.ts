/** One line of the report. */
export interface Figure {
  /** Number of the work in the table of docs/scaling.md; a letter follows where a work has several figures. */
  readonly row: string;
  readonly work: string;
  readonly figure: number;
  readonly unit: string;
  readonly floor: number | null;
  readonly floorIs: string;
  readonly goal: string;
  /** Null for values without a limit. */
  readonly reached: boolean | null;
}

export function printTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.row,
    figure.work,
    `${number(figure.figure)} ${figure.unit}`.trim(),
    figure.floor === null ? '–' : `${number(figure.floor)} ${figure.unit} (${figure.floorIs})`.trim(),
    figure.floor === null || figure.floor === 0 ? '–' : number(figure.figure / figure.floor),
    figure.goal,
    figure.reached === null ? '' : figure.reached ? 'reached' : 'MISSED',
  ]);
  const head = ['#', 'work', 'figure', 'floor', 'ratio', 'goal', ''];
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
