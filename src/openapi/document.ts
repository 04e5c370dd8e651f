import { z } from 'zod';

/** An OpenAPI 3.1 description, as far as this program makes one; it leaves as JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly security?: readonly object[];
  readonly paths: Readonly<Record<string, object>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

/** A reference to the schema with this name, for other parts of the document. */
export function reference(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** `components.schemas` of the very schemas that bodies are parsed with (`input`) or answers are made by (`output`). */
export function componentSchemas(
  schemas: Readonly<Record<string, z.ZodType>>,
  io: 'input' | 'output',
): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: found } = z.toJSONSchema(registry, { io, uri: (id) => reference(id).$ref });
  return Object.fromEntries(
    Object.entries<Record<string, unknown>>(found).map(([name, schema]) => [
      name,
      Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$schema' && key !== '$id')),
    ]),
  );
}
