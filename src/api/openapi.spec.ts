import { describe, expect, it } from '@jest/globals';
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { API_CONTROLLERS } from './controllers.js';
import { openApiDocument } from './openapi.js';

const layerSchema = z.looseObject({
  route: z.looseObject({ path: z.string(), methods: z.record(z.string(), z.boolean()) }).optional(),
});
const expressSchema = z.custom<{ router: { stack: unknown[] } }>((value) => typeof value === 'function');

/** `method path` of each route that Express really has. */
async function servedRoutes(): Promise<string[]> {
  const module = await Test.createTestingModule({ controllers: [...API_CONTROLLERS] })
    .useMocker(() => ({}))
    .compile();
  const app: INestApplication = module.createNestApplication({ logger: false });
  await app.init();
  const { router } = expressSchema.parse(app.getHttpAdapter().getInstance());
  const routes = router.stack.flatMap((layer) => layerSchema.parse(layer).route ?? []);
  await app.close();
  return routes.flatMap(({ path, methods }) =>
    Object.keys(methods).map((method) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
  );
}

const contentSchema = z.object({
  content: z.record(z.string(), z.object({ schema: z.object({ $ref: z.string() }), example: z.unknown() })),
});
const isRequired = z.looseObject({ required: z.literal(true) });
const operationSchema = z.looseObject({
  summary: z.string().min(5),
  tags: z.tuple([z.string().min(2)]),
  operationId: z.string(),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), z.unknown()) })),
});
const document = openApiDocument(API_CONTROLLERS);
/** Formats are patterns too, which are checked. */
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi.json');
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    route: `${method} ${path}`,
    operation: operationSchema.parse(operation),
  })),
);

describe('the OpenAPI document', () => {
  it('has exactly the routes that the API serves', async () => {
    const served = await servedRoutes();
    expect(served.length).toBeGreaterThan(25);
    expect(operations.map(({ route }) => route).sort()).toEqual(served.sort());
  });

  it.each(operations)(
    'gives $route a tag, a success and the answers to a missing, weak and guessed token',
    ({ operation }) => {
      const statuses = Object.keys(operation.responses);
      expect(statuses.some((status) => /^20[02]$/.test(status))).toBe(true);
      expect(statuses).toEqual(expect.arrayContaining(['400', '401', '403', '429']));
      expect(operation.responses['401']).toMatchObject({ headers: { 'www-authenticate': {} } });
      expect(operation.responses['429']).toMatchObject({ headers: { 'retry-after': {} } });
    },
  );

  it('lets every change carry a key, and no reading', () => {
    const keyed = operations.filter(
      ({ operation: { parameters, responses } }) =>
        JSON.stringify(parameters).includes('"idempotency-key"') && '409' in responses && '422' in responses,
    );
    expect(keyed.map(({ route }) => route)).toEqual(
      operations.map(({ route }) => route).filter((route) => route.startsWith('post ')),
    );
  });

  it.each(operations)('refers $route to schemas that are there', ({ operation }) => {
    const names = [...JSON.stringify(operation).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) expect(Object.keys(document.components.schemas)).toContain(name);
  });

  it('has a body schema for the routes that parse a body', () => {
    const withBody = operations.filter(({ operation }) => operation.requestBody !== undefined);
    expect(withBody.map(({ route }) => route)).toEqual(
      expect.arrayContaining(['post /api/v1/stores/{key}/syncs', 'post /api/v1/write-backs/approve']),
    );
  });

  it.each(operations)(
    'shows an example that fits its schema for each body and answer of $route',
    ({ operation }) => {
      const contents = [operation.requestBody, ...Object.values(operation.responses)].flatMap((each) =>
        each === undefined ? [] : Object.values(contentSchema.parse(each).content),
      );
      expect(contents.length).toBeGreaterThan(2);
      for (const { schema, example } of contents) {
        const fits = ajv.compile({ $ref: `openapi.json${schema.$ref}` });
        expect([example, fits(example) ? null : fits.errors]).toEqual([example, null]);
      }
    },
  );

  it('asks for a body exactly where a request without one is refused', () => {
    const required = operations.filter(
      ({ operation }) => isRequired.safeParse(operation.requestBody).success,
    );
    expect(required.map(({ operation }) => operation.operationId).sort()).toEqual([
      'bulkChangesRequest',
      'deliveriesReplayMany',
      'writeBacksApproveMany',
      'writeBacksEdit',
      'writeBacksRejectMany',
      'writeBacksRevertMany',
    ]);
  });

  it('names each operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is refused for a controller with a route that nobody described', () => {
    @Controller('api/v1/things')
    class Undescribed {
      @Get()
      list(): string {
        return '';
      }
    }
    expect(() => openApiDocument([Undescribed])).toThrow('route Undescribed.list has no @Describe');
  });
});
