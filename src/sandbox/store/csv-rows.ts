import { CsvError, parse } from 'csv-parse/sync';
import { CodedError } from '../../domain/errors.js';
import { findColumns } from './csv-columns.js';
import { otherShopOf } from './export-text.js';
import type { CsvColumns, CsvField } from './csv-columns.js';

/** The file of the records, which they share. */
interface CsvTable {
  readonly file: string;
  readonly columns: CsvColumns;
  /** True in files that no comma separates: only there is "12,50" a number. */
  readonly hasDecimalComma: boolean;
}

/** One record of the file, which remembers where it came from. */
export class CsvRow {
  constructor(
    private readonly table: CsvTable,
    /** Line on which the record begins, counted from 1. */
    readonly line: number,
    private readonly cells: ReadonlyMap<string, string>,
  ) {}

  /** The cell as it stands, or the empty string where the column or the value is missing. */
  raw(field: CsvField): string {
    for (const column of this.table.columns.named.get(field) ?? []) {
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
    const plain = this.#withPoint(text);
    if (!/^\d+(\.\d+)?$/.test(plain)) throw this.error(field, `"${text}" is not a number`);
    return Number(plain);
  }

  /** A whole number, which may be negative, or null for an empty cell. */
  integer(field: CsvField): number | null {
    const text = this.text(field);
    if (text === '') return null;
    const plain = this.#withPoint(text);
    if (!/^-?\d+(\.0+)?$/.test(plain)) throw this.error(field, `"${text}" is not a whole number`);
    return Number(plain);
  }

  flag(field: CsvField): boolean | null {
    const text = this.text(field).toLowerCase();
    if (text === '') return null;
    if (['true', 'yes', '1'].includes(text)) return true;
    if (['false', 'no', '0'].includes(text)) return false;
    throw this.error(field, `"${text}" is neither true nor false`);
  }

  metafields(): { namespace: string; key: string; value: string }[] {
    return this.table.columns.metafields.flatMap(({ column, namespace, key }) => {
      const value = (this.cells.get(column) ?? '').trim();
      return value === '' ? [] : [{ namespace, key, value }];
    });
  }

  /** An error that names the file, the line and the column. */
  error(field: CsvField, problem: string): CodedError {
    const column = this.table.columns.named.get(field)?.[0] ?? field;
    return new CodedError('invalid', `${this.table.file}:${this.line}, column "${column}": ${problem}`);
  }

  /** "1.234,50" and "12,50" with a decimal point, where the file has decimal commas. Other text is unchanged. */
  #withPoint(text: string): string {
    const isDecimal = this.table.hasDecimalComma && DECIMAL_COMMA.test(text);
    return isDecimal ? text.replaceAll('.', '').replace(',', '.') : text;
  }
}

/** A comma before the decimals, with or without points between thousands. */
const DECIMAL_COMMA = /^-?(\d+|\d{1,3}(\.\d{3})+),\d+$/;

/** The rows of an export, and the rows that cannot be read, each with its reason. */
export interface ExportRows {
  readonly rows: readonly CsvRow[];
  readonly problems: readonly CodedError[];
}

/**
 * The records of a product export. Byte order mark, CRLF, line breaks inside quotes, and comma, semicolon or tab between cells are
 * taken. Numbers may have a decimal comma where commas do not separate cells. Blank lines are skipped. A record with more or fewer
 * cells than the header is a problem of its own. Throws `invalid` with file and line for text that is no CSV, for a header without
 * handle or title, and for a file without records.
 */
export function readRows(text: string, file: string): ExportRows {
  const delimiter = delimiterOf(text);
  const [headerRecord, ...records] = parseRecords(text, file, delimiter).filter(({ cells }) =>
    cells.some(isFilled),
  );
  if (!headerRecord) throw new CodedError('invalid', `${file}: is empty; a header line was expected`);
  const header = headerRecord.cells;
  const columns = requiredColumns(header, `${file}:${headerRecord.line}`);
  const table = { file, columns, hasDecimalComma: delimiter !== ',' };
  if (records.length === 0) throw new CodedError('invalid', `${file}: has a header and no products`);
  const rows: CsvRow[] = [];
  const problems: CodedError[] = [];
  for (const { line, cells } of records) {
    if (cells.length === header.length) {
      const named = new Map(header.map((column, index) => [column, cells[index] ?? '']));
      rows.push(new CsvRow(table, line, named));
      continue;
    }
    const at = cells.length < header.length ? header[cells.length] : header.at(-1);
    const problem = `the record has ${cells.length} cells, the header ${header.length}`;
    problems.push(new CodedError('invalid', `${file}:${line}, column "${at ?? ''}": ${problem}`));
  }
  return { rows, problems };
}

/** Throws `invalid` for a header without handle or title; the error names the other shop system if the header is one of those. */
function requiredColumns(header: readonly string[], where: string): CsvColumns {
  const columns = findColumns(header);
  for (const [field, name] of [
    ['handle', 'Handle'],
    ['title', 'Title'],
  ] as const) {
    if (columns.named.has(field)) continue;
    const system = otherShopOf(header);
    throw new CodedError(
      'invalid',
      system === null
        ? `${where}, column "${name}": is missing from the header`
        : `${where}: is an export of ${system}; a product export of Shopify (CSV) was expected`,
    );
  }
  return columns;
}

function isFilled(cell: string): boolean {
  return cell.trim() !== '';
}

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

function parseRecords(text: string, file: string, delimiter: string): CsvRecord[] {
  const begins: number[] = [];
  let linesBefore = 0;
  try {
    const records = parse(text, {
      bom: true,
      delimiter,
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

const DELIMITERS = [',', ';', '\t'] as const;

/** The delimiter that occurs most often in the header. Spreadsheet programs write semicolons where the comma is for decimals. */
function delimiterOf(text: string): string {
  const begin = text.trimStart();
  const end = begin.search(/[\r\n]/);
  const header = end < 0 ? begin : begin.slice(0, end);
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
