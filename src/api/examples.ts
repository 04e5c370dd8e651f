import { z } from 'zod';
import { AT, RUN_ID, SAMPLES } from './example-values.js';

const schemaSchema = z.looseObject({
  $ref: z.string().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  propertyNames: z.unknown().optional(),
  prefixItems: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
});

const namesSchema = z.looseObject({ enum: z.array(z.string()) });

/**
 * A value that fits a JSON schema: every field is there, and lists have one member. `schemas` has the schemas that it refers to. A
 * text without a sample is the name of its field.
 */
export function exampleOf(schema: unknown, schemas: Readonly<Record<string, object>>, name = ''): unknown {
  const found = schemaSchema.parse(schema);
  const of = (part: unknown, partName = name): unknown => exampleOf(part, schemas, partName);
  if (found.$ref !== undefined) return of(schemas[found.$ref.split('/').at(-1) ?? '']);
  if (found.const !== undefined) return found.const;
  if (found.enum !== undefined) return found.enum.includes(SAMPLES[name]) ? SAMPLES[name] : found.enum[0];
  const choices = found.anyOf ?? found.oneOf;
  if (choices !== undefined) return of(choices[0]);
  const type = Array.isArray(found.type) ? found.type[0] : found.type;
  switch (type) {
    case 'object': {
      const { properties, additionalProperties: rest } = found;
      if (properties !== undefined)
        return Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, of(part, key)]));
      if (typeof rest !== 'object') return {};
      const names = namesSchema.safeParse(found.propertyNames).data?.enum ?? ['main'];
      return Object.fromEntries(names.map((key) => [key, of(rest)]));
    }
    case 'array':
      return found.prefixItems?.map((part) => of(part)) ?? [of(found.items)];
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'integer':
    case 'number':
      return typeof SAMPLES[name] === 'number' ? SAMPLES[name] : 1;
    case 'string':
      return textOf(found.format, name);
    default:
      return SAMPLES[name] ?? {};
  }
}

function textOf(format: string | undefined, name: string): string {
  if (format === 'date-time') return AT;
  if (format === 'date') return AT.slice(0, 10);
  if (format === 'uuid') return RUN_ID;
  const sample = SAMPLES[name];
  return typeof sample === 'string' ? sample : name;
}
