import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';

/** What Nest keeps of the arguments of a route, under `kind:index`. */
const routeArguments = z.record(z.string(), z.looseObject({ schema: z.instanceof(z.ZodType).optional() }));

/**
 * The fields that the schema of a route declares, as it reads them from the body. Empty for a route without a body, and for a body that
 * the route is going to refuse. Forms bring further fields: they are left out.
 */
export function validatedBody(route: Route, body: unknown): Readonly<Record<string, unknown>> {
  const schema = bodySchemaOf(route);
  if (schema === null) return {};
  const parsed = z.record(z.string(), z.unknown()).safeParse(schema.safeParse(body ?? {}).data);
  const declared = new Set(fieldNames(schema));
  return Object.fromEntries(Object.entries(parsed.data ?? {}).filter(([name]) => declared.has(name)));
}

type Route = Pick<ExecutionContext, 'getClass' | 'getHandler'>;

/** The schema that a route reads its body with; null for a route without one. */
export function bodySchemaOf(route: Route): z.ZodType | null {
  return argumentSchema(route.getClass(), route.getHandler().name, RouteParamtypes.BODY);
}

/** The schema of the route's query or body; null for none. */
export function argumentSchema(controller: object, handler: string, kind: RouteParamtypes): z.ZodType | null {
  const given: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler);
  const found = Object.entries(routeArguments.parse(given ?? {})).find(
    ([key]) => key.split(':')[0] === String(kind),
  );
  return found?.[1].schema ?? null;
}

/** The names that an object has, also behind what prepares its input, changes its output or stands in for it. None for other schemas. */
export function fieldNames(schema: z.core.$ZodType): readonly string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodPipe) return [schema.in, schema.out].flatMap(fieldNames);
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return fieldNames(schema.unwrap());
  return [];
}
