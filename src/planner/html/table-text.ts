import type { WorkBudget } from './work-budget.js';

export interface TableCell {
  readonly text: string;
  /** The number of columns and rows that the cell spans, at least 1. */
  readonly columns: number;
  readonly rows: number;
}

const COLUMN_GAP = 3;
/** Larger tables are not aligned, because the grid would cost more than the text is worth. */
const MOST_CELLS = 2000;

/** A table as text, with aligned columns when the budget allows. Cells may have several lines. */
export function tableText(rows: readonly (readonly TableCell[])[], budget: WorkBudget): string {
  return alignedText(rows, budget) ?? plainRows(rows);
}

/** All cells of a row in one line. */
function plainRows(rows: readonly (readonly TableCell[])[]): string {
  return rows.map((cells) => cells.map(({ text }) => text).join(' '.repeat(COLUMN_GAP))).join('\n');
}

/** Null: the budget is too small. */
function alignedText(rows: readonly (readonly TableCell[])[], budget: WorkBudget): string | null {
  if (rows.reduce((sum, cells) => sum + cells.length, rows.length) > MOST_CELLS) return null;
  const grid = gridOf(rows, budget);
  return grid === null ? null : new AlignedTable(grid, rows.length, budget).render();
}

interface PlacedCell extends TableCell {
  readonly lines: readonly string[];
}

interface Grid {
  /** By row, then by column. Places that no cell covers are undefined. */
  readonly cells: readonly (PlacedCell | undefined)[][];
  readonly columns: number;
  readonly rowOffsets: Offsets;
  /** The number of rows to look at in each column. */
  readonly heights: readonly number[];
}

/** Puts each cell into the first free places of its row and of the rows below. Null: the budget is too small. */
function gridOf(rows: readonly (readonly TableCell[])[], budget: WorkBudget): Grid | null {
  const cells: (PlacedCell | undefined)[][] = rows.map(() => []);
  const rowOffsets = new Offsets();
  const lastRows: number[] = [];
  let columns = 0;
  for (const [at, row] of rows.entries()) {
    const places = cells[at] ?? [];
    let column = 0;
    for (const cell of row) {
      const below = Math.min(cell.rows, rows.length - at);
      if (!budget.spend(below * cell.columns + cell.text.length)) return null;
      while (places[column] !== undefined) column += 1;
      const placed: PlacedCell = { ...cell, lines: cell.text.split('\n') };
      for (let down = 0; down < below; down++) {
        const line = cells[at + down] ?? [];
        for (let right = 0; right < cell.columns; right++) {
          line[column + right] = placed;
          lastRows[column + right] = Math.max(lastRows[column + right] ?? -1, at + down);
        }
      }
      column += cell.columns;
      rowOffsets.widen(at, below, placed.lines.length);
    }
    columns = Math.max(columns, places.length);
  }
  const heights = Array.from({ length: columns }, (_, column) =>
    Math.min(rows.length, Math.max(cells[column]?.length ?? 0, (lastRows[column] ?? -1) + 1)),
  );
  return budget.spend(heights.reduce((sum, height) => sum + height, 0))
    ? { cells, columns, rowOffsets, heights }
    : null;
}

/** The start of each row or column, in lines or characters. Each is at least one after the previous. */
class Offsets {
  private readonly starts = [0];

  at(index: number): number {
    for (let next = this.starts.length; next <= index; next++)
      this.starts.push(1 + (this.starts[next - 1] ?? 0));
    return this.starts[index] ?? 0;
  }

  known(index: number): number | undefined {
    return this.starts[index];
  }

  /** Leaves at least `size` between `index` and the place `span` after it. */
  widen(index: number, span: number, size: number): void {
    this.starts[index + span] = Math.max(this.at(index + span), this.at(index) + size);
  }
}

class AlignedTable {
  private readonly lines: (string | undefined)[] = [];
  private readonly columnOffsets = new Offsets();
  private readonly done = new Set<PlacedCell>();

  constructor(
    private readonly grid: Grid,
    private readonly rows: number,
    private readonly budget: WorkBudget,
  ) {}

  render(): string | null {
    const { cells, columns, rowOffsets, heights } = this.grid;
    for (let column = 0; column < columns; column++) {
      for (let row = 0; row < Math.min(this.rows, heights[column] ?? 0);) {
        const cell = cells[row]?.[column];
        if (cell === undefined) {
          const line = rowOffsets.known(row);
          if (line !== undefined) this.lines[line] ??= '';
          row += 1;
          continue;
        }
        if (!this.done.has(cell) && !this.place(cell, row, column)) return null;
        row += cell.rows;
      }
    }
    return this.lines.join('\n');
  }

  private place(cell: PlacedCell, row: number, column: number): boolean {
    const { rowOffsets } = this.grid;
    const left = this.columnOffsets.at(column);
    let width = 0;
    for (const [index, text] of cell.lines.entries()) {
      const at = rowOffsets.at(row) + index;
      const line = this.lines[at] ?? '';
      const padding = Math.max(0, left - line.length);
      if (!this.budget.grow(padding)) return false;
      this.lines[at] = line + ' '.repeat(padding) + text;
      width = Math.max(width, text.length);
    }
    this.columnOffsets.widen(column, cell.columns, width + COLUMN_GAP);
    this.done.add(cell);
    return true;
  }
}
