import { STATUS_CODES } from 'node:http';
import { RequestMethod, type Type } from '@nestjs/common';
import { HTTP_CODE_METADATA, METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { z } from 'zod';
import { componentSchemas, reference, type OpenApiDocument } from '../openapi/document.js';
import { API_ERROR_CODES, codeOfStatus } from './error.filter.js';
import { exampleOf } from './examples.js';
import { IDEMPOTENCY_KEY, KEY_PATTERN } from './idempotency.interceptor.js';
import { ROUTE_DESCRIPTION, type RouteDescription } from './api-routes.js';
import { ANSWERS, BODIES } from './named-schemas.js';
import { argumentSchema } from './validated-body.js';

const PREFIX = '/api/v1';

const ERROR = z.object({
  statusCode: z.int(),
  error: z.string(),
  code: z.enum(API_ERROR_CODES).describe('for programs'),
  message: z.string().describe('for people'),
  requestId: z.string().optional().describe('that of the header x-request-id and of the log'),
  details: z.unknown().optional(),
});

/** Errors of every route: a NUL character in an address, a token that is missing or too weak, too many guesses, a database that is away. */
const EVERYWHERE = [400, 401, 403, 429, 503];
const HEADERS: Readonly<Record<number, object>> = {
  401: { 'www-authenticate': { description: 'Bearer', schema: { type: 'string' } } },
  429: { 'retry-after': { description: 'seconds to wait', schema: { type: 'integer' } } },
};

/** What every change takes and may answer, because it can be repeated under a key. */
const KEYED = [409, 422];
const KEY = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'makes the request safe to repeat: for 24 hours the same request with the same key gets the first answer, without a second effect',
  schema: { type: 'string', pattern: KEY_PATTERN },
};

/** A route, put together from the metadata of its decorators. */
interface Route extends RouteDescription {
  readonly method: 'get' | 'post';
  /** As OpenAPI writes it: `/api/v1/syncs/{id}`. */
  readonly path: string;
  /** Name of the controller and its method: `syncsCancel`. Generated clients name their functions so. */
  readonly id: string;
  readonly status: number;
  readonly query: z.ZodObject | null;
  readonly body: z.ZodType | null;
}

/**
 * The document that /docs and /docs-json serve. It is made from the controllers: paths, methods and status codes from the decorators of
 * Nest, queries and bodies from the schemas of their arguments, the rest from `@Describe`. Throws for a route that is not described.
 *
 * It is made here, because `@nestjs/swagger` depends on `swagger-ui-dist`, and that on `@scarf/scarf`, whose install script reports the
 * installation. `test/package` proves that an installation of this package has neither.
 */
export function openApiDocument(controllers: readonly Type[]): OpenApiDocument {
  const routes = controllers.flatMap(routesOf);
  const schemas = {
    ...componentSchemas(BODIES, 'input'),
    ...componentSchemas({ Error: ERROR, ...ANSWERS }, 'output'),
  };
  const paths = new Map<string, Record<string, object>>();
  for (const route of routes)
    paths.set(route.path, { ...paths.get(route.path), [route.method]: operationOf(route, schemas) });
  return {
    openapi: '3.1.0',
    info: {
      title: 'store-sync',
      version: 'v1',
      description:
        'The same operations as the commands, over HTTP. Every request carries `Authorization: Bearer` with server.adminToken or one of server.tokens.',
    },
    security: [{ bearer: [] }],
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas,
    },
  };
}

function routesOf(controller: Type): Route[] {
  const base = pathSchema.parse(Reflect.getMetadata(PATH_METADATA, controller));
  const routes: Route[] = [];
  for (const name of Object.getOwnPropertyNames(controller.prototype)) {
    const handler: unknown = Object.getOwnPropertyDescriptor(controller.prototype, name)?.value;
    if (typeof handler !== 'function' || !Reflect.hasMetadata(METHOD_METADATA, handler)) continue;
    const description = Reflect.getMetadata(ROUTE_DESCRIPTION, handler) as RouteDescription | undefined;
    if (description === undefined) throw new Error(`route ${controller.name}.${name} has no @Describe`);
    const method = requestMethods.parse(Reflect.getMetadata(METHOD_METADATA, handler));
    routes.push({
      ...description,
      method: method === RequestMethod.POST ? 'post' : 'get',
      path: openApiPath(base, pathSchema.parse(Reflect.getMetadata(PATH_METADATA, handler))),
      id: operationId(controller.name, name),
      status: z
        .int()
        .default(method === RequestMethod.POST ? 201 : 200)
        .parse(Reflect.getMetadata(HTTP_CODE_METADATA, handler)),
      query: querySchema(controller, name),
      body: argumentSchema(controller, name, RouteParamtypes.BODY),
    });
  }
  return routes;
}

const pathSchema = z.string();
const requestMethods = z.enum({ get: RequestMethod.GET, post: RequestMethod.POST });

function querySchema(controller: Type, handler: string): z.ZodObject | null {
  const schema = argumentSchema(controller, handler, RouteParamtypes.QUERY);
  if (schema === null || schema instanceof z.ZodObject) return schema;
  throw new Error('the schema of a query is not an object');
}

/** The name of a body's schema. Throws for a schema that `named-schemas.ts` does not name. */
function nameOfBody(schema: z.ZodType): string {
  const found = Object.entries(BODIES).find(([, each]) => each === schema);
  if (found === undefined) throw new Error('the schema of a body has no name for the OpenAPI document');
  return found[0];
}

function openApiPath(base: string, path: string): string {
  const parts = `${base}/${path}`.split('/').filter((part) => part !== '');
  return `/${parts.map((part) => (part.startsWith(':') ? `{${part.slice(1)}}` : part)).join('/')}`;
}

function operationOf(route: Route, schemas: Readonly<Record<string, object>>): object {
  const { method, path, id, summary, query, body, status, answer, errors } = route;
  const content = (name: string, example = exampleOf(reference(name), schemas)): object => ({
    content: { 'application/json': { schema: reference(name), example } },
  });
  const isChange = method === 'post';
  const failures = [...new Set([...EVERYWHERE, ...errors, ...(isChange ? KEYED : [])])].map((failure) => {
    const error = STATUS_CODES[failure] ?? 'Error';
    const message = `the reason of ${error}, in a sentence`;
    const example = { statusCode: failure, error, code: codeOfStatus(failure), message };
    const headers = HEADERS[failure] === undefined ? {} : { headers: HEADERS[failure] };
    return [String(failure), { description: error, ...headers, ...content('Error', example) }] as const;
  });
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    example: exampleOf({ type: 'string' }, schemas, name === 'key' ? 'store' : name),
  }));
  return {
    summary,
    tags: [path.slice(PREFIX.length).split('/')[1]],
    operationId: id,
    parameters: [...inPath, ...(query ? queryParameters(query) : []), ...(isChange ? [KEY] : [])],
    ...(body ? { requestBody: { required: !body.safeParse({}).success, ...content(nameOfBody(body)) } } : {}),
    responses: {
      [String(status)]: { description: summary, ...content(answer) },
      ...Object.fromEntries(failures),
    },
  };
}

function operationId(controller: string, method: string): string {
  const area = controller.replace(/Controller$/, '');
  return `${area.charAt(0).toLowerCase()}${area.slice(1)}${method.charAt(0).toUpperCase()}${method.slice(1)}`;
}

function queryParameters(query: z.ZodObject): object[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}
