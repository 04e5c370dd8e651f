import type { z } from 'zod';

/** A row with the fields of an answer. Its times are dates. */
type RowOf<Answer> = {
  readonly [Name in keyof Answer]: string extends Answer[Name] ? Answer[Name] | Date : Answer[Name];
};

/**
 * A row as the answer that the schema describes: each of its fields as the row has it, and times as ISO 8601. `rest` has the fields that
 * the row lacks or has in another form.
 */
export function shown<Shape extends z.ZodRawShape, Rest extends Partial<RowOf<z.output<z.ZodObject<Shape>>>>>(
  { shape }: z.ZodObject<Shape>,
  row: Omit<RowOf<z.output<z.ZodObject<Shape>>>, keyof Rest>,
  rest: Rest,
): z.output<z.ZodObject<Shape>> {
  const given: Readonly<Record<string, unknown>> = { ...row, ...rest };
  const fields = Object.keys(shape).map((name) => {
    const value = given[name];
    return [name, value instanceof Date ? value.toISOString() : value];
  });
  // The types of `row` and `rest` have each field of the schema, and `Object.fromEntries` loses their names.
  return Object.fromEntries(fields) as z.output<z.ZodObject<Shape>>;
}
