import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { SandboxDatabase } from '../database.js';
import { FieldValidationError, parseOrRefuse, type FieldErrors } from '../http/errors.js';
import { productBody, type ProductBody } from '../products/product.schemas.js';
import { ProductsService } from '../products/products.service.js';

/** Columns whose cell is a JSON array, or holds several values with `|` between them. */
const LIST_COLUMNS = ['images', 'product_lists', 'tags_to_update'] as const;

/** Columns whose cell is JSON. */
const JSON_COLUMNS = ['open_attributes', 'metadata', 'crawl_configuration', 'variants'] as const;

export interface CsvImportResult {
  readonly created: number;
  readonly updated: number;
  /** Line of the file, counted from 1 with the heading, and what was wrong with it. */
  readonly errors: readonly { readonly line: number; readonly fields: FieldErrors }[];
  readonly ignored_columns: readonly string[];
}

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Products from a CSV file (docs/catalog-rules.md#csv-upload-of-products; its format is this service's own). */
@Injectable()
export class CsvImport {
  constructor(
    private readonly database: SandboxDatabase,
    private readonly products: ProductsService,
  ) {}

  /** Every row is upserted as POST /products/ would; an empty cell leaves its field as it is. */
  async import(text: string, locale: string): Promise<CsvImportResult> {
    const { columns, records } = readCsv(text);
    let created = 0;
    let updated = 0;
    const errors: { line: number; fields: FieldErrors }[] = [];
    for (const { line, cells } of records) {
      try {
        const body = rowBody(columns, cells);
        const outcome = await this.database.transaction((tx) => this.products.upsertNow(tx, body, locale));
        if (outcome.created) created++;
        else updated++;
      } catch (error) {
        if (!(error instanceof FieldValidationError)) throw error;
        errors.push({ line, fields: error.fields });
      }
    }
    return { created, updated, errors, ignored_columns: columns.filter((column) => !isKnown(column)) };
  }
}

const parsedRows = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) }));

/** Throws field errors of `file` when the text is no CSV or has no column that names a field. */
export function readCsv(text: string): {
  readonly columns: readonly string[];
  readonly records: readonly CsvRecord[];
} {
  let rows: z.infer<typeof parsedRows>;
  try {
    rows = parsedRows.parse(
      parse(text, { bom: true, info: true, relax_column_count: true, skip_empty_lines: true }),
    );
  } catch (error) {
    throw new FieldValidationError({
      file: [error instanceof Error ? error.message : 'The file is not CSV.'],
    });
  }
  const columns = (rows[0]?.record ?? []).map((column) => column.trim());
  if (!columns.some(isKnown)) throw new FieldValidationError({ file: ['No column names a product field.'] });
  return { columns, records: rows.slice(1).map((row) => ({ line: row.info.lines, cells: row.record })) };
}

/** The columns are the writable fields by their names. */
function isKnown(column: string): boolean {
  return column !== 'id' && Object.hasOwn(productBody.shape, column);
}

function rowBody(columns: readonly string[], cells: readonly string[]): ProductBody {
  if (cells.length > columns.length) {
    throw new FieldValidationError({ non_field_errors: ['The row has more cells than the heading.'] });
  }
  const body = columns.flatMap((column, index) => {
    const cell = cells[index] ?? '';
    return cell.trim() === '' || !isKnown(column) ? [] : [[column, cellValue(column, cell)]];
  });
  return parseOrRefuse(productBody, Object.fromEntries(body));
}

function cellValue(column: string, cell: string): unknown {
  if (JSON_COLUMNS.some((json) => json === column) || (isList(column) && cell.trim().startsWith('[')))
    return jsonOf(column, cell);
  const values = (): string[] => cell.split('|').map((value) => value.trim());
  switch (column) {
    case 'images':
      return values().map((source_url, order) => ({ source_url, order }));
    case 'tags_to_update':
      return values().map(Number);
    case 'product_lists':
      return values();
    default:
      return cell;
  }
}

function isList(column: string): boolean {
  return LIST_COLUMNS.some((list) => list === column);
}

function jsonOf(column: string, cell: string): unknown {
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    throw new FieldValidationError({ [column]: ['The cell is not JSON.'] });
  }
}

/** The text of an uploaded file. Throws a field error when it is not UTF-8. */
export function uploadedText(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new FieldValidationError({ file: ['The file is not UTF-8 text.'] });
  return new TextDecoder().decode(bytes);
}
