import { CsvError, parse } from 'csv-parse/sync';
import { CodedError } from '../../domain/errors.js';
import { findColumns } from './csv-columns.js';
import type { CsvField, MetafieldColumn } from './csv-columns.js';

/** One record of the file, which remembers where it came from. */
export class CsvRow {
  constructor(
    private readonly file: string,
    /** Line on which the record begins, counted from 1. */
    readonly line: number,
    private readonly cells: ReadonlyMap<string, string>,
    private readonly columnsOf: ReadonlyMap<CsvField, readonly string[]>,
    private readonly metafieldColumns: readonly MetafieldColumn[],
  ) {}

  /** The cell as it stands, or the empty string where the column or the value is missing. */
  raw(field: CsvField): string {
    for (const column of this.columnsOf.get(field) ?? []) {
      const cell = this.cells.get(column) ?? '';
      if (cell.trim() !== '') return cell;
    }
    return '';
  }

  text(field: CsvField): string {
    return this.raw(field).trim();
  }

  has(...fields: CsvField[]): boolean {
    return fields.some((field) => this.text(field) !== '');
  }

  /** A number that is not negative, or null for an empty cell. */
  number(field: CsvField): number | null {
    const text = this.text(field);
    if (text === '') return null;
    if (!/^\d+(\.\d+)?$/.test(text)) throw this.error(field, `"${text}" is not a number`);
    return Number(text);
  }

  /** A whole number, which may be negative, or null for an empty cell. */
  integer(field: CsvField): number | null {
    const text = this.text(field);
    if (text === '') return null;
    if (!/^-?\d+(\.0+)?$/.test(text)) throw this.error(field, `"${text}" is not a whole number`);
    return Number(text);
  }

  flag(field: CsvField): boolean | null {
    const text = this.text(field).toLowerCase();
    if (text === '') return null;
    if (['true', 'yes', '1'].includes(text)) return true;
    if (['false', 'no', '0'].includes(text)) return false;
    throw this.error(field, `"${text}" is neither true nor false`);
  }

  metafields(): { namespace: string; key: string; value: string }[] {
    return this.metafieldColumns.flatMap(({ column, namespace, key }) => {
      const value = (this.cells.get(column) ?? '').trim();
      return value === '' ? [] : [{ namespace, key, value }];
    });
  }

  /** An error that names the file, the line and the column. */
  error(field: CsvField, problem: string): CodedError {
    const column = this.columnsOf.get(field)?.[0] ?? field;
    return new CodedError('invalid', `${this.file}:${this.line}, column "${column}": ${problem}`);
  }
}

/**
 * The records of a product export. Byte order mark, CRLF and line breaks inside quotes are taken; blank lines are skipped.
 * Throws `invalid` with file and line for text that is no CSV, a record with more or fewer cells than the header, or a
 * header without handle or title.
 */
export function readRows(text: string, file: string): CsvRow[] {
  const [headerRecord, ...records] = parseRecords(text, file).filter(({ cells }) => cells.some(isFilled));
  if (!headerRecord) throw new CodedError('invalid', `${file}: is empty; a header line was expected`);
  const header = headerRecord.cells;
  const columns = findColumns(header);
  for (const required of ['handle', 'title'] as const) {
    if (columns.named.has(required)) continue;
    const name = required === 'handle' ? 'Handle' : 'Title';
    throw new CodedError(
      'invalid',
      `${file}:${headerRecord.line}, column "${name}": is missing from the header`,
    );
  }
  return records.map(({ line, cells }) => {
    if (cells.length !== header.length) {
      const at = cells.length < header.length ? header[cells.length] : header.at(-1);
      const problem = `the record has ${cells.length} cells, the header ${header.length}`;
      throw new CodedError('invalid', `${file}:${line}, column "${at ?? ''}": ${problem}`);
    }
    const named = new Map(header.map((column, index) => [column, cells[index] ?? '']));
    return new CsvRow(file, line, named, columns.named, columns.metafields);
  });
}

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

function parseRecords(text: string, file: string): CsvRecord[] {
  const begins: number[] = [];
  let linesBefore = 0;
  try {
    const records = parse(text, {
      bom: true,
      relax_column_count: true,
      on_record: (cells: string[], { lines }) => {
        begins.push(linesBefore + 1);
        linesBefore = lines;
        return cells;
      },
    });
    return records.map((cells, index) => ({ line: begins[index] ?? 0, cells }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // The parser reports an open quote at the end of the text; it was opened in the record that began here.
    const open = error.code === 'CSV_QUOTE_NOT_CLOSED';
    const line = open ? linesBefore + 1 : Number(error['lines'] ?? linesBefore + 1);
    const problem = open ? 'a quote is opened and never closed' : error.message;
    const cell = open ? '' : `, cell ${Number(error['index'] ?? 0) + 1}`;
    throw new CodedError('invalid', `${file}:${line}${cell}: ${problem}`, { cause: error });
  }
}
