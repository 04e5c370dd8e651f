type ColumnType = 'text' | 'jsonb' | 'boolean' | 'bigint';

/** The function that reads the values of a column's array: as JSON for a `jsonb` column, as text for any other. */
const READ: Readonly<Record<ColumnType, string>> = {
  jsonb: 'json_array_elements',
  text: 'json_array_elements_text',
  boolean: 'json_array_elements_text',
  bigint: 'json_array_elements_text',
};

const SELECTED: Readonly<Record<ColumnType, (name: string) => string>> = {
  jsonb: (name) => `nullif(${name}::text, 'null')::jsonb AS ${name}`,
  text: (name) => name,
  boolean: (name) => `${name}::boolean`,
  bigint: (name) => `${name}::bigint`,
};

/** A JSON text, or its bytes in UTF-8. */
type JsonText = string | Buffer;
type Value = string | number | boolean | null | undefined;
/** A row as the program has it. Values of a `jsonb` column are JSON already. */
type Row<Types> = {
  readonly [Name in keyof Types]: Types[Name] extends 'jsonb' ? JsonText | null | undefined : Value;
};

/**
 * Rows that the program gives to a statement, as one JSON array for each column. PostgreSQL reads them in less than half of the time that
 * `jsonb_to_recordset` takes for an array of objects (docs/scaling.md).
 */
export class RowColumns<const Types extends Readonly<Record<string, ColumnType>>> {
  readonly #columns: readonly (readonly [name: string, type: ColumnType])[];

  /** The columns of the rows, by their names in the program, which are their names in SQL as well. */
  constructor(types: Types) {
    this.#columns = Object.entries(types);
  }

  /** How many columns, and parameters. */
  get size(): number {
    return this.#columns.length;
  }

  /** The rows for `FROM`, without an alias. Their parameters begin with `$first`. */
  from(first: number): string {
    const selected = this.#columns.map(([name, type]) => SELECTED[type](`"${name}"`));
    const arrays = this.#columns.map(([, type], index) => `${READ[type]}($${String(first + index)}::json)`);
    const names = this.#columns.map(([name]) => `"${name}"`);
    return `(SELECT ${selected.join(', ')} FROM ROWS FROM (${arrays.join(', ')}) AS texts(${names.join(', ')}))`;
  }

  /** The parameters. An undefined value becomes null. The driver sends bytes as they are, and PostgreSQL reads them as the JSON text. */
  values(rows: readonly Row<Types>[]): JsonText[] {
    return this.#columns.map(([name, type]) => {
      const values = rows.map((row) => row[name]);
      return type === 'jsonb' ? arrayOf(values) : JSON.stringify(values);
    });
  }
}

const [OPEN, COMMA, CLOSE] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];

/** The JSON array of JSON texts. It is in bytes where one of them is: long texts are copied once, and not encoded again. */
function arrayOf(texts: readonly (Value | Buffer)[]): JsonText {
  if (!texts.some((text) => Buffer.isBuffer(text)))
    return `[${texts.map((text) => text ?? 'null').join(',')}]`;
  const parts = texts.flatMap((text, index) => [
    index === 0 ? OPEN : COMMA,
    Buffer.isBuffer(text) ? text : Buffer.from(String(text ?? 'null')),
  ]);
  return Buffer.concat([...parts, CLOSE]);
}
