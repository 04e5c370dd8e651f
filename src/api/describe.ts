import { SetMetadata } from '@nestjs/common';
import type { z } from 'zod';

/** A schema under the name that it has in the OpenAPI document. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: z.ZodType;
}

/** The part of a route's description that its other decorators do not say. */
export interface RouteDescription {
  readonly summary: string;
  /** The name of the body's schema in the OpenAPI document. Each route with a body needs one. */
  readonly body?: string;
  /** The answer on success; its status is the route's own. */
  readonly answer: NamedSchema;
  /** Errors that the route may answer, besides 400 for a refused query or body and 401. */
  readonly errors?: readonly number[] | undefined;
}

export const ROUTE_DESCRIPTION = 'store-sync:route-description';

/** Describes a route of the API for the OpenAPI document (`openapi.ts`). Every route needs it. */
export const Describe = (description: RouteDescription): MethodDecorator =>
  SetMetadata(ROUTE_DESCRIPTION, description);
