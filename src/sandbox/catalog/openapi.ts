import { z } from 'zod';
import { componentSchemas, reference, type OpenApiDocument } from './openapi-document.js';
import { loginRequest, refreshRequest, renewedAccess, tokenPair } from './auth/auth.controller.js';
import { DECISIONS } from './decisions.js';
import { generationRequest, taskAnswer } from './generation/generation.controller.js';
import { API_PREFIX } from './http/public-address.js';
import { acceptedCreation, freeValue, pageOf, productBody, productView } from './products/product.schemas.js';
import { taskView } from './tasks/task-store.js';
import { webhookConfiguration, webhookRequest } from './webhooks/webhook-settings.js';

const REQUESTS = {
  Login: loginRequest,
  Refresh: refreshRequest,
  ProductBody: productBody,
  GenerationRequest: generationRequest,
  WebhookRequest: webhookRequest,
} as const;

const ANSWERS = {
  TokenPair: tokenPair,
  RenewedAccess: renewedAccess,
  Product: productView,
  ProductPage: pageOf(productView),
  AcceptedCreation: acceptedCreation,
  TaskAnswer: taskAnswer,
  Task: taskView,
  TaskPage: pageOf(taskView),
  WebhookConfiguration: webhookConfiguration,
  FieldErrors: z.record(z.string(), z.array(z.string())),
  Detail: z.object({ detail: z.string() }),
} as const;

type RequestName = keyof typeof REQUESTS;
type AnswerName = keyof typeof ANSWERS;

interface Operation {
  readonly summary: string;
  readonly body?: RequestName | 'csv';
  readonly query?: readonly string[];
  /** Status to schema; null for an answer without a body. */
  readonly answers: Readonly<Record<number, AnswerName | null>>;
  readonly open?: true;
}

const PAGE_QUERY = ['page', 'page_size'] as const;
const LIST_QUERY = [
  'locale',
  'search',
  'brand',
  'brands',
  'category',
  'tag',
  'created_at_after',
  'created_at_before',
  'images',
  'tasks',
  'product_list',
  'sorting',
  'order_by',
  ...PAGE_QUERY,
] as const;
const REPEATABLE = new Set(['brands', 'tag']);

/** Path below the base URL to method to operation. */
const OPERATIONS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = {
  '/login/': {
    post: { summary: 'Log in', body: 'Login', answers: { 200: 'TokenPair', 400: 'FieldErrors' }, open: true },
  },
  '/refresh/': {
    post: {
      summary: 'Renew the access token',
      body: 'Refresh',
      answers: { 200: 'RenewedAccess', 400: 'FieldErrors' },
    },
  },
  '/products/': {
    get: {
      summary: 'List parent and standalone products',
      query: LIST_QUERY,
      answers: { 200: 'ProductPage', 400: 'FieldErrors' },
    },
    post: {
      summary: 'Create a product, or update the one that matches',
      body: 'ProductBody',
      query: ['locale'],
      answers: { 200: 'Product', 201: 'Product', 202: 'AcceptedCreation', 400: 'FieldErrors' },
    },
  },
  '/products/{id}/': {
    get: { summary: 'One product', query: ['locale'], answers: { 200: 'Product', 404: 'Detail' } },
    put: {
      summary: 'Replace a product',
      body: 'ProductBody',
      query: ['locale'],
      answers: { 200: 'Product', 400: 'FieldErrors', 404: 'Detail' },
    },
    patch: {
      summary: 'Update a product',
      body: 'ProductBody',
      query: ['locale'],
      answers: { 200: 'Product', 400: 'FieldErrors', 404: 'Detail' },
    },
    delete: { summary: 'Delete a product with its variants', answers: { 204: null, 404: 'Detail' } },
  },
  '/products/{id}/variants/': {
    get: {
      summary: 'Variants of a product',
      query: ['locale', ...PAGE_QUERY],
      answers: { 200: 'ProductPage', 404: 'Detail' },
    },
    post: {
      summary: 'Add a variant, or update the one that matches',
      body: 'ProductBody',
      query: ['locale'],
      answers: { 200: 'Product', 201: 'Product', 400: 'FieldErrors', 404: 'Detail' },
    },
  },
  '/products/upload-csv/': {
    post: {
      summary: 'Upload products as CSV',
      body: 'csv',
      query: ['locale'],
      answers: { 202: 'TaskAnswer', 400: 'FieldErrors' },
    },
  },
  '/products/generate/': {
    post: {
      summary: 'Generate content',
      body: 'GenerationRequest',
      answers: { 202: 'TaskAnswer', 400: 'FieldErrors' },
    },
  },
  '/background-tasks/': {
    get: { summary: 'Background tasks', query: PAGE_QUERY, answers: { 200: 'TaskPage' } },
  },
  '/background-tasks/{id}/': {
    get: { summary: 'One background task', answers: { 200: 'Task', 404: 'Detail' } },
  },
  '/settings/webhooks/': {
    get: { summary: 'The webhook configuration', answers: { 200: 'WebhookConfiguration', 404: 'Detail' } },
    post: {
      summary: 'Replace the webhook configuration',
      body: 'WebhookRequest',
      answers: { 200: 'WebhookConfiguration', 400: 'FieldErrors' },
    },
    delete: { summary: 'Remove the webhook configuration', answers: { 204: null } },
  },
};

/** The description of the API, made of the schemas that the endpoints parse with. */
export function openApiDocument(): OpenApiDocument {
  const paths = Object.fromEntries(
    Object.entries(OPERATIONS).map(([path, operations]) => [
      API_PREFIX + path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [method, describeOperation(path, operation)]),
      ),
    ]),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Product Catalog Enrichment Service (sandbox)',
      version: 'v1',
      description: DECISIONS.map(({ topic, decision }) => `- **${topic}**: ${decision}`).join('\n'),
    },
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        ...componentSchemas({ ...REQUESTS, FreeValue: freeValue }, 'input'),
        ...componentSchemas({ ...ANSWERS, FreeValue: freeValue }, 'output'),
      },
    },
  };
}

function describeOperation(path: string, { summary, body, query = [], answers, open }: Operation): object {
  const refusals: Operation['answers'] = open === true ? { 401: 'Detail' } : { 401: 'Detail', 403: 'Detail' };
  return {
    summary,
    security: open === true ? [] : [{ bearer: [] }],
    parameters: [
      ...(path.includes('{id}')
        ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
        : []),
      ...query.map((name) => ({ name, in: 'query', schema: querySchema(name) })),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: requestContent(body) } }),
    responses: Object.fromEntries(
      Object.entries({ ...answers, ...refusals }).map(([status, name]) => [
        status,
        name === null
          ? { description: 'No body' }
          : { description: name, content: { 'application/json': { schema: reference(name) } } },
      ]),
    ),
  };
}

function querySchema(name: string): object {
  return REPEATABLE.has(name) ? { type: 'array', items: { type: 'string' } } : { type: 'string' };
}

function requestContent(body: RequestName | 'csv'): object {
  if (body !== 'csv') return { 'application/json': { schema: reference(body) } };
  const file = { type: 'string', format: 'binary' };
  return {
    'multipart/form-data': { schema: { type: 'object', properties: { file }, required: ['file'] } },
    'text/csv': { schema: { type: 'string' } },
  };
}
