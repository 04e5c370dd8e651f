import { CodedError } from '../../domain/errors.js';
import { findColumns } from './csv-columns.js';
import { otherShopOf } from './export-text.js';
import type { CsvColumns, CsvField } from './csv-columns.js';

/** The file of the records, which they share. */
interface CsvTable {
  readonly file: string;
  readonly columns: CsvColumns;
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

  /** A number that is not negative, or null for an empty cell. Spreadsheet programs may write a decimal comma. */
  number(field: CsvField): number | null {
    const text = this.text(field);
    if (text === '') return null;
    if (!/^\d+(\.\d+|,\d{1,2})?$/.test(text)) throw this.error(field, `"${text}" is not a number`);
    return Number(text.replace(',', '.'));
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
}

/** The rows of an export, and the rows that cannot be read, each with its reason. */
export interface ExportRows {
  readonly rows: readonly CsvRow[];
  readonly problems: readonly CodedError[];
}

/**
 * The records of a product export. Byte order mark, CRLF, line breaks inside quotes, and comma, semicolon or tab between cells are
 * taken. A quote inside of a bare cell is a character. Blank lines are skipped. A record with more or
 * fewer cells than the header, or whose quotes never close, is a problem of its own. Throws `invalid` with file and line for a header
 * without handle or title, and for a file without records.
 */
export function readRows(text: string, file: string): ExportRows {
  const parsed = parseRecords(text, file, delimiterOf(text));
  const [headerRecord, ...records] = parsed.records;
  if (!headerRecord) throw new CodedError('invalid', `${file}: is empty; a header line was expected`);
  const header = headerRecord.cells;
  const columns = requiredColumns(header, `${file}:${headerRecord.line}`);
  const table = { file, columns };
  if (records.length === 0) throw new CodedError('invalid', `${file}: has a header and no products`);
  const rows: CsvRow[] = [];
  const problems: CodedError[] = [...parsed.problems];
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

/**
 * A record with a quote that is never closed, or that is closed in the middle of a cell, costs itself: reading goes on with the line after
 * the one on which it begins. A library stops at the first such record, or takes the lines after it into the cell.
 */
function parseRecords(
  text: string,
  file: string,
  delimiter: string,
): { readonly records: readonly CsvRecord[]; readonly problems: readonly CodedError[] } {
  const records: CsvRecord[] = [];
  const problems: CodedError[] = [];
  // Lines and their ends in turn.
  const pieces = text.replace(/^\uFEFF/, '').split(/(\r\n|\r|\n)/);
  const lines = pieces.filter((_piece, index) => index % 2 === 0);
  const ends = pieces.filter((_piece, index) => index % 2 === 1);
  for (let at = 0; at < lines.length;) {
    const read = readRecord({ lines, ends }, at, delimiter);
    if (typeof read === 'string') problems.push(new CodedError('invalid', `${file}:${at + 1}: ${read}`));
    else if (read.cells.some(isFilled)) records.push({ line: at + 1, cells: read.cells });
    at = typeof read === 'string' ? at + 1 : read.next;
  }
  return { records, problems };
}

/** The record that begins on a line and the number of the line after it, or what is wrong with its quotes. */
function readRecord(
  { lines, ends }: { readonly lines: readonly string[]; readonly ends: readonly string[] },
  begin: number,
  delimiter: string,
): { readonly cells: string[]; readonly next: number } | string {
  const cells: string[] = [];
  let at = begin;
  let line = lines[at] ?? '';
  let from = 0;
  for (;;) {
    let end = line.indexOf(delimiter, from);
    if (line[from] === '"') {
      const parts: string[] = [];
      let open = from + 1;
      let close = closingQuote(line, open);
      while (close < 0) {
        parts.push(line.slice(open), ends[at] ?? '');
        at += 1;
        if (at >= lines.length) return 'a quote is opened and never closed';
        line = lines[at] ?? '';
        open = 0;
        close = closingQuote(line, open);
      }
      parts.push(line.slice(open, close));
      end = close + 1 < line.length ? close + 1 : -1;
      if (end >= 0 && line[end] !== delimiter) return 'a quote is closed in the middle of a cell';
      cells.push(parts.join('').replaceAll('""', '"'));
    } else cells.push(end < 0 ? line.slice(from) : line.slice(from, end));
    if (end < 0) return { cells, next: at + 1 };
    from = end + 1;
  }
}

/** The place of the first quote from `from` on that is not doubled; -1 without one. */
function closingQuote(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at >= 0 && line[at + 1] === '"') at = line.indexOf('"', at + 2);
  return at;
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
