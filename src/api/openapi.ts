import { z } from 'zod';
import { componentSchemas, reference, type OpenApiDocument } from '../openapi/document.js';
import { deliveryPageSchema, deliveryQuerySchema, deliverySchema } from '../operations/deliveries.js';
import { driftSchema } from '../operations/drift.js';
import { generateAnswerSchema, generateBodySchema } from '../operations/generate.js';
import { idsSchema, rowOutcomeSchema, rowOutcomesSchema } from '../operations/paging.js';
import {
  appliedPlanSchema,
  planBodySchema,
  planEntriesQuerySchema,
  planEntryPageSchema,
  planPageSchema,
  planQuerySchema,
  planSchema,
} from '../operations/plans.js';
import { runPageSchema, runQuerySchema, runSchema, syncBodySchema } from '../operations/present-run.js';
import { statusSchema } from '../operations/status.js';
import { productPageSchema, productQuerySchema, productTimelineSchema } from '../operations/timeline.js';
import { slotBodySchema, slotQuerySchema, slotsSchema } from '../operations/webhook-slots.js';
import { writeBackPageSchema, writeBackQuerySchema, writeBackSchema } from '../operations/write-backs.js';

const BODIES = {
  SyncRequest: syncBodySchema,
  PlanRequest: planBodySchema,
  GenerateRequest: generateBodySchema,
  Ids: idsSchema,
  WebhookRequest: slotBodySchema,
} as const;

const ANSWERS = {
  Id: z.object({ id: z.string() }),
  Run: runSchema,
  RunPage: runPageSchema,
  Status: statusSchema,
  Product: productTimelineSchema,
  ProductPage: productPageSchema,
  Delivery: deliverySchema,
  DeliveryPage: deliveryPageSchema,
  WriteBack: writeBackSchema,
  WriteBackPage: writeBackPageSchema,
  Outcome: rowOutcomeSchema,
  Outcomes: rowOutcomesSchema,
  Drift: driftSchema,
  Generated: generateAnswerSchema,
  Plan: planSchema,
  PlanPage: planPageSchema,
  PlanEntryPage: planEntryPageSchema,
  AppliedPlan: appliedPlanSchema,
  WebhookSlots: slotsSchema,
  Error: z.object({
    statusCode: z.int(),
    error: z.string(),
    message: z.string(),
    details: z.unknown().optional(),
  }),
} as const;

interface Operation {
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: keyof typeof BODIES;
  readonly status?: number;
  readonly answer: keyof typeof ANSWERS;
  /** Errors beside 400 and 401. */
  readonly errors?: readonly number[];
}

/** Path below /api/v1 to method to operation. */
const OPERATIONS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/status': { get: { summary: 'Stores, last runs, backlog, dead letters, credits', answer: 'Status' } },
  '/stores/{key}/syncs': {
    post: {
      summary: 'Ask for a sync; the id of the active run where there is one',
      body: 'SyncRequest',
      status: 202,
      answer: 'Id',
      errors: [404],
    },
  },
  '/stores/{key}/drift': {
    get: { summary: 'Live store values against the journal', answer: 'Drift', errors: [404, 502, 503] },
  },
  '/stores/{key}/generate': {
    post: {
      summary: 'Ask for generation of the given products, or of all that lack it',
      body: 'GenerateRequest',
      answer: 'Generated',
      errors: [404],
    },
  },
  '/stores/{key}/plans': {
    post: {
      summary: 'Make a plan and keep it for review; it is made in the background',
      body: 'PlanRequest',
      status: 202,
      answer: 'Id',
      errors: [404],
    },
  },
  '/syncs': { get: { summary: 'Syncs', query: runQuerySchema, answer: 'RunPage' } },
  '/syncs/{id}': { get: { summary: 'One sync', answer: 'Run', errors: [404] } },
  '/plans': { get: { summary: 'Saved plans', query: planQuerySchema, answer: 'PlanPage' } },
  '/plans/{id}': { get: { summary: 'One saved plan', answer: 'Plan', errors: [404] } },
  '/plans/{id}/entries': {
    get: {
      summary: 'What a saved plan would do, product by product',
      query: planEntriesQuerySchema,
      answer: 'PlanEntryPage',
      errors: [404],
    },
  },
  '/plans/{id}/apply': {
    post: {
      summary: 'Carry out exactly this plan, refusing entry by entry what has changed since; once',
      status: 202,
      answer: 'AppliedPlan',
      errors: [404, 409, 502, 503],
    },
  },
  '/products': { get: { summary: 'Products', query: productQuerySchema, answer: 'ProductPage' } },
  '/products/{externalId}': {
    get: {
      summary: 'One product’s timeline, by its URL-encoded external_id (or SKU, barcode, handle)',
      answer: 'Product',
      errors: [404, 409],
    },
  },
  '/deliveries': { get: { summary: 'The inbox', query: deliveryQuerySchema, answer: 'DeliveryPage' } },
  '/deliveries/{id}': { get: { summary: 'One delivery with its body', answer: 'Delivery', errors: [404] } },
  '/deliveries/{id}/replay': {
    post: { summary: 'Interpret a delivery again', status: 202, answer: 'Outcome', errors: [404] },
  },
  '/deliveries/replay': {
    post: { summary: 'Interpret deliveries again', body: 'Ids', answer: 'Outcomes' },
  },
  '/write-backs': {
    get: { summary: 'Write-backs', query: writeBackQuerySchema, answer: 'WriteBackPage' },
  },
  '/write-backs/{id}': { get: { summary: 'One write-back', answer: 'WriteBack', errors: [404] } },
  ...decisionOperations('approve', 'Release for writing'),
  ...decisionOperations('reject', 'Set aside for good'),
  ...decisionOperations('revert', 'Restore the before-image where the live value is still ours'),
  '/webhook': { get: { summary: 'The webhook slots', query: slotQuerySchema, answer: 'WebhookSlots' } },
  '/webhook/register': {
    post: { summary: 'Fill the slot', body: 'WebhookRequest', answer: 'WebhookSlots', errors: [409] },
  },
  '/webhook/remove': {
    post: { summary: 'Empty the slot', body: 'WebhookRequest', answer: 'WebhookSlots', errors: [409] },
  },
};

function decisionOperations(decision: string, summary: string): Record<string, Record<string, Operation>> {
  return {
    [`/write-backs/{id}/${decision}`]: { post: { summary, answer: 'Outcome', errors: [404, 409] } },
    [`/write-backs/${decision}`]: {
      post: { summary: `${summary}, several`, body: 'Ids', answer: 'Outcomes' },
    },
  };
}

/** What /docs and /docs-json serve, made of the very schemas that requests are parsed with. */
export function openApiDocument(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'store-sync',
      version: 'v1',
      description:
        'What the commands do, over HTTP. Every request carries `Authorization: Bearer` with server.adminToken.',
    },
    security: [{ bearer: [] }],
    paths: Object.fromEntries(
      Object.entries(OPERATIONS).map(([path, operations]) => [
        `/api/v1${path}`,
        Object.fromEntries(
          Object.entries(operations).map(([method, operation]) => [method, described(path, operation)]),
        ),
      ]),
    ),
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { ...componentSchemas(BODIES, 'input'), ...componentSchemas(ANSWERS, 'output') },
    },
  };
}

function described(path: string, operation: Operation): object {
  const { summary, query, body, status = 200, answer, errors = [] } = operation;
  const failures = [...(query || body ? [400] : []), 401, ...errors];
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return {
    summary,
    operationId: operationId(path, summary),
    parameters: [...inPath, ...(query ? queryParameters(query) : [])],
    ...(body
      ? { requestBody: { required: false, content: { 'application/json': { schema: reference(body) } } } }
      : {}),
    responses: Object.fromEntries([
      [String(status), answered(answer, summary)],
      ...failures.map((failure) => [String(failure), answered('Error', 'Error')]),
    ]) as object,
  };
}

function answered(name: keyof typeof ANSWERS, description: string): object {
  return { description, content: { 'application/json': { schema: reference(name) } } };
}

function operationId(path: string, summary: string): string {
  return `${summary} ${path}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '');
}

function queryParameters(query: z.ZodObject): object[] {
  const { properties = {} } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));
}
