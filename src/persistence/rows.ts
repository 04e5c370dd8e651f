import { getMetadataArgsStorage } from 'typeorm';
import { z } from 'zod';
import { CodedError } from '../domain/errors.js';

/** A `count(*)`, which the driver hands over as text because it may exceed what a number holds. */
export const counted = z.coerce.number().int().nonnegative();

export const idRow = z.object({ id: z.string() });
export const countRow = z.object({ count: counted });

/** The row of an entity as a schema, which a statement that selects more extends. */
type EntityRow<E> = z.ZodObject<{ [K in keyof E & string]: z.ZodType<E[K]> }>;

/** The driver's value of each column type. The content of a jsonb column was written, and typed, by this program. */
const VALUES: Readonly<Record<string, z.ZodType>> = {
  text: z.string(),
  uuid: z.string(),
  bigint: z.string(),
  integer: z.int(),
  'double precision': z.number(),
  boolean: z.boolean(),
  timestamptz: z.date(),
  bytea: z.instanceof(Buffer),
  jsonb: z.custom((value) => typeof value === 'object' && value !== null, 'expected JSON'),
};
const list = z.custom(Array.isArray, 'expected a JSON array');

/**
 * The schema of an entity's row, or of some of its columns, from the entity's own description. It is made once for each kind of row,
 * because a schema takes longer to make than to use.
 */
export function rowOf<E extends object, K extends keyof E & string = keyof E & string>(
  entity: abstract new () => E,
  properties?: readonly K[],
): EntityRow<Pick<E, K>> {
  const wanted: readonly string[] | undefined = properties;
  const columns = getMetadataArgsStorage()
    .filterColumns(withParents(entity))
    .filter(({ propertyName }) => wanted?.includes(propertyName) ?? true);
  const shape = Object.fromEntries(
    columns.map(({ propertyName, options: { type, nullable, default: initial } }) => {
      const value = Array.isArray(initial) ? list : VALUES[String(type)];
      if (value === undefined)
        throw new Error(`${entity.name}.${propertyName}: no schema for ${String(type)}`);
      return [propertyName, nullable === true ? value.nullable() : value];
    }),
  );
  // Each property has the schema of its column.
  return z.object(shape) as unknown as EntityRow<Pick<E, K>>;
}

type Class = abstract new () => object;

function withParents(entity: Class): Class[] {
  const parent: unknown = Object.getPrototypeOf(entity);
  return isEntity(parent) ? [entity, ...withParents(parent)] : [entity];
}

function isEntity(parent: unknown): parent is Class {
  return typeof parent === 'function' && parent !== Function.prototype;
}

/** Parses a row as the driver returns it. Throws `misconfigured` for a row of another shape. */
export function parsedRow<T>(schema: z.ZodType<T>, row: object): T {
  const named = Object.fromEntries(Object.entries(row).map(([column, value]) => [camelCase(column), value]));
  const parsed = schema.safeParse(named);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CodedError(
    'misconfigured',
    `column ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}: the database is of another release; run \`store-sync migrate\``,
    { cause: parsed.error },
  );
}

/** Column names are few and rows many. */
const CAMEL_CASE = new Map<string, string>();

function camelCase(column: string): string {
  const known = CAMEL_CASE.get(column);
  if (known !== undefined) return known;
  const name = column.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
  CAMEL_CASE.set(column, name);
  return name;
}
