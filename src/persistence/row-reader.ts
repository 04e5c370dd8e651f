import { types } from 'node:util';
import type { DataSource, EntityTarget } from 'typeorm';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';

/** Checks one row of an answer and gives it its type. A zod schema is one. */
export interface RowReader<T> {
  /** Takes the row under the columns' own names, not under camel-case ones. */
  readonly takesColumns?: true;
  parse(row: unknown): T;
}

/** A `count(*)`, which the driver hands over as text because it may exceed what a number holds. */
export const counted = z.coerce.number().int().nonnegative();

export const idRow = z.object({ id: z.string() });
export const countRow = z.object({ count: counted });

/** Reads some columns of an entity. */
export interface ColumnsReader<E> extends RowReader<E> {
  /** A reader of these columns and of further ones, which `more` parses under their camel-case names. */
  and<T extends object>(more: RowReader<T>): RowReader<E & T>;
}

/** Reads the rows of one entity: names them as its properties and checks the type of every value. */
export interface EntityReader<E> extends ColumnsReader<E> {
  /** A reader of some of the columns, for a statement that does not select all. */
  only<K extends keyof E & string>(...properties: readonly K[]): ColumnsReader<Pick<E, K>>;
}

/** For a jsonb column that is read beside an entity: its content was written, and typed, by this program. */
export function isObjectOrNull(value: unknown): boolean {
  return typeof value === 'object';
}

interface ColumnCheck {
  readonly column: string;
  readonly property: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly fits: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The driver's value of each column type. The content of a jsonb column was written, and typed, by this program. */
const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: isText,
  uuid: isText,
  bigint: isText,
  integer: Number.isInteger,
  'double precision': (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  'timestamp with time zone': types.isDate,
  bytea: (value) => Buffer.isBuffer(value),
  jsonb: isObject,
};

/** The reader of an entity, from its own description. Throws for a column type that it does not know. */
export function entityReader<E extends object>(source: DataSource, entity: EntityTarget<E>): EntityReader<E> {
  const metadata = source.getMetadata(entity);
  const checks = metadata.columns.map((column): ColumnCheck => {
    const type = source.driver.normalizeType(column);
    const fits = Array.isArray(column.default) ? Array.isArray : FITS[type];
    if (fits === undefined)
      throw new Error(`${metadata.tableName}.${column.databaseName}: no reader for ${type}`);
    return {
      column: column.databaseName,
      property: column.propertyName,
      type,
      nullable: column.isNullable,
      fits,
    };
  });
  const reader = (some: readonly ColumnCheck[]): ColumnsReader<E> => {
    // The one cast of entity rows: every property was checked right before.
    const read = (row: unknown): E => checkedRow(row, some, metadata.tableName) as E;
    return {
      takesColumns: true,
      parse: read,
      and: (more) => ({
        takesColumns: true,
        parse: (row) => ({ ...read(row), ...more.parse(camelCased(row)) }),
      }),
    };
  };
  return {
    ...reader(checks),
    only: (...properties) => {
      const names: readonly string[] = properties;
      return reader(checks.filter(({ property }) => names.includes(property)));
    },
  };
}

function checkedRow(row: unknown, checks: readonly ColumnCheck[], table: string): object {
  const values = recordOf(row);
  const result: Record<string, unknown> = {};
  for (const { column, property, type, nullable, fits } of checks) {
    const value = values[column];
    if (value === null ? !nullable : !fits(value)) throw unexpected(`${table}.${column}`, type, value);
    result[property] = value;
  }
  return result;
}

function unexpected(column: string, type: string, value: unknown): CodedError {
  const found = value === undefined ? 'missing' : value === null ? 'NULL' : `a ${typeof value}`;
  return new CodedError(
    'misconfigured',
    `column ${column} is ${found} instead of ${type}: the database is of another release; run \`store-sync migrate\``,
  );
}

/** The driver makes an object of each row. */
function recordOf(row: unknown): Readonly<Record<string, unknown>> {
  return isRecord(row) ? row : {};
}

function isRecord(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null;
}

/** Column names are few and rows many. */
const CAMEL_CASE = new Map<string, string>();

/** A row under camel-case names. */
export function camelCased(row: unknown): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(recordOf(row))) result[camelCase(column)] = value;
  return result;
}

function camelCase(column: string): string {
  const known = CAMEL_CASE.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  CAMEL_CASE.set(column, name);
  return name;
}
