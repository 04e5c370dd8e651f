import type { ExecutionContext } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';
import { ZodPipe } from './zod.pipe.js';

const routeArguments = z.record(z.string(), z.looseObject({ pipes: z.array(z.unknown()).default([]) }));

/**
 * The fields that the schema of a route declares, as it reads them from the body. Empty for a route without a body, and for a body that
 * the route is going to refuse. Forms bring further fields: they are left out.
 */
export function validatedBody(
  route: Pick<ExecutionContext, 'getClass' | 'getHandler'>,
  body: unknown,
): Readonly<Record<string, unknown>> {
  const schema = bodySchemaOf(route);
  const parsed = schema?.safeParse(body ?? {});
  if (schema === null || parsed?.success !== true) return {};
  const declared = new Set(Object.keys(schema.shape));
  return Object.fromEntries(Object.entries(parsed.data).filter(([name]) => declared.has(name)));
}

/** Throws for a body that is no object: its fields could not be told. */
function bodySchemaOf(route: Pick<ExecutionContext, 'getClass' | 'getHandler'>): z.ZodObject | null {
  const handler = route.getHandler().name;
  const given: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, route.getClass(), handler);
  for (const [key, { pipes }] of Object.entries(routeArguments.parse(given ?? {}))) {
    if (key.split(':')[0] !== String(RouteParamtypes.BODY)) continue;
    const pipe = pipes.find((each): each is ZodPipe<z.ZodType> => each instanceof ZodPipe);
    if (pipe?.schema instanceof z.ZodObject) return pipe.schema;
    throw new Error(`${route.getClass().name}.${handler}: the body needs a schema that is an object`);
  }
  return null;
}
