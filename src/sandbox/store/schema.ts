import { readFileSync } from 'node:fs';
import { GraphQLScalarType, buildSchema, defaultFieldResolver } from 'graphql';
import type { GraphQLFieldResolver, GraphQLSchema } from 'graphql';
import type { RequestContext } from './request-context.js';

/** The sandbox's part of the Admin API's schema, with its scalars; every mutation that runs is noted. */
export function loadSchema(): GraphQLSchema {
  const schema = buildSchema(readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'));
  const times = schema.getType('DateTime');
  if (times instanceof GraphQLScalarType) {
    times.serialize = (value) => {
      if (!(value instanceof Date)) throw new TypeError('DateTime is served from Date objects only');
      return value.toISOString().replace(/\.\d+Z$/, 'Z');
    };
  }
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {}))
    field.resolve = noteMutation;
  return schema;
}

const noteMutation: GraphQLFieldResolver<unknown, RequestContext> = (
  source,
  args: unknown,
  context,
  info,
) => {
  context.mutations.push({ name: info.fieldName, input: args });
  return defaultFieldResolver(source, args, context, info);
};
