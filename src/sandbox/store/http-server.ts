import type { IncomingMessage, Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { GraphQLError } from 'graphql';
import { z } from 'zod';
import { shopServer, type Answer } from '../shop-server.js';
import { servedVersion } from './api-versions.js';
import { NOT_FOUND, type AppAccess } from './app-access.js';
import type { BulkOperations } from './bulk-operations.js';
import type { GraphqlEndpoint, GraphqlRequest } from './graphql-endpoint.js';

export interface HttpParts {
  readonly endpoint: GraphqlEndpoint;
  readonly access: AppAccess;
  readonly bulk: BulkOperations;
  readonly apiVersion: string;
  readonly around: Around;
  readonly onError: (error: unknown) => void;
}

/** A request to the GraphQL API, or for the file of an export. */
export interface StoreCall {
  readonly kind: 'graphql' | 'file';
  readonly operationName: string | null;
  /** Names of the root fields; empty for a document that cannot be read. */
  readonly fields: readonly string[];
  readonly variables: unknown;
}

/** Stands around each such request: it may answer itself, change the answer, or cut the connection by null. */
export type Around = (call: StoreCall, proceed: () => Promise<Answer>) => Promise<Answer | null>;

const GRAPHQL_PATH = /^\/admin\/api\/([^/]+)\/graphql\.json$/;
const OAUTH_PATH = /^\/admin\/oauth\/(\w+)$/;
const BULK_FILE_PATH = /^\/bulk-files\/([^/]+)$/;
const formSchema = z.record(z.string(), z.string());
const GraphqlBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** The shop's HTTP surface: the Admin GraphQL API, the token exchange, and the files that exports leave. */
export function storeHttpServer(parts: HttpParts): Server {
  return shopServer((request, url) =>
    answerOf(parts, request, url).catch((error: unknown) => {
      parts.onError(error);
      return { status: 500, body: { errors: 'Internal Server Error' } };
    }),
  );
}

async function answerOf(
  parts: HttpParts,
  request: IncomingMessage,
  { pathname, searchParams }: URL,
): Promise<Answer | null> {
  const { method = 'GET' } = request;
  const version = GRAPHQL_PATH.exec(pathname)?.[1];
  if (method === 'POST' && version !== undefined) return graphqlAnswer(parts, version, request);
  const path = OAUTH_PATH.exec(pathname)?.[1];
  if (path !== undefined) {
    const sent = method === 'POST' ? formOf(await text(request), request.headers['content-type'] ?? '') : {};
    const fields = { ...Object.fromEntries(searchParams), ...formSchema.safeParse(sent).data };
    return parts.access.answer({ method, path, fields });
  }
  const file = BULK_FILE_PATH.exec(pathname)?.[1];
  if (file === undefined) return NOT_FOUND;
  const call: StoreCall = { kind: 'file', operationName: null, fields: [], variables: null };
  return parts.around(call, () => Promise.resolve(fileAnswer(parts.bulk.file(file))));
}

async function graphqlAnswer(
  { access, endpoint, apiVersion, around }: HttpParts,
  version: string,
  request: IncomingMessage,
): Promise<Answer | null> {
  const asked = graphqlRequest(await text(request));
  if (!asked) return { status: 400, body: { errors: { query: 'Required parameter missing or invalid' } } };
  const operation = endpoint.read(asked);
  const isRead = !(operation instanceof GraphQLError);
  const call: StoreCall = {
    kind: 'graphql',
    operationName: isRead ? (operation.definition.name?.value ?? null) : null,
    fields: isRead ? operation.fields : [],
    variables: asked.variables,
  };
  return around(call, async () => {
    const token = request.headers['x-shopify-access-token'];
    if (typeof token !== 'string' || !access.accepts(token)) {
      const errors = '[API] Invalid API key or access token (unrecognized login or wrong password)';
      return { status: 401, body: { errors } };
    }
    const served = servedVersion(version, apiVersion);
    if (served === null) return NOT_FOUND;
    const body = await endpoint.answer(operation, asked);
    return { status: 200, body, headers: { 'x-shopify-api-version': served } };
  });
}

function graphqlRequest(raw: string): GraphqlRequest | null {
  const body = GraphqlBody.safeParse(parsedJson(raw));
  if (!body.success) return null;
  const { query, variables, operationName } = body.data;
  return { query, variables: variables ?? {}, operationName: operationName ?? null };
}

function fileAnswer(content: Buffer | null): Answer {
  if (content !== null)
    return { status: 200, body: content, headers: { 'content-type': 'application/jsonl' } };
  const body = `<?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchKey</Code></Error>`;
  return { status: 404, body, headers: { 'content-type': 'application/xml' } };
}

function formOf(raw: string, contentType: string): unknown {
  return contentType.includes('json') ? parsedJson(raw) : Object.fromEntries(new URLSearchParams(raw));
}

/** Undefined for text that is no JSON: the schemas refuse it. */
function parsedJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
