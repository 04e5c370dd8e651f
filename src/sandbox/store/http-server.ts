import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { AccessTokens } from './access-tokens.js';
import type { Authorization, AuthorizationAnswer } from './authorization.js';
import { servedVersion } from './api-versions.js';
import type { BulkOperations } from './bulk-operations.js';
import type { Fault, Faults } from './faults.js';
import type { GraphqlAnswer, GraphqlEndpoint, GraphqlRequest, Operation } from './graphql-endpoint.js';
import type { Ledger } from './ledger.js';
import { picture, PICTURE_PATH } from './pictures.js';

export interface HttpParts {
  readonly endpoint: GraphqlEndpoint;
  readonly tokens: AccessTokens;
  readonly authorization: Authorization;
  readonly faults: Faults;
  readonly bulk: BulkOperations;
  readonly ledger: Ledger;
  readonly apiVersion: string;
  readonly now: () => Date;
}

interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const GRAPHQL_PATH = /^\/admin\/api\/(?:([^/]+)\/)?graphql\.json$/;
const BULK_FILE_PATH = /^\/bulk-files\/([^/]+)$/;
const GraphqlBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

/** The shop's HTTP surface: the Admin GraphQL API, the token exchange, and the files that exports leave. */
export function storeHttpServer(parts: HttpParts): Server {
  return createServer((request, response) => {
    handle(parts, request, response).catch((error: unknown) => {
      parts.ledger.internalErrors.push(error);
      if (!response.headersSent) send(response, json(500, { errors: 'Internal Server Error' }));
      else response.destroy();
    });
  });
}

async function handle(parts: HttpParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
  const graphql = GRAPHQL_PATH.exec(pathname);
  if (request.method === 'POST' && graphql) {
    await handleGraphql(parts, graphql[1] ?? parts.apiVersion, request, response);
    return;
  }
  if (request.method === 'POST' && pathname === '/admin/oauth/access_token') {
    const { status, body } = parts.tokens.grant(
      formOf(await text(request), request.headers['content-type'] ?? ''),
    );
    send(response, json(status, body));
    return;
  }
  if (pathname === '/admin/oauth/authorize') {
    const { authorization } = parts;
    const answer =
      request.method === 'POST'
        ? authorization.agree(new URLSearchParams(await text(request)))
        : authorization.ask(searchParams);
    send(response, consentAnswer(answer));
    return;
  }
  const drawn = PICTURE_PATH.exec(pathname)?.[2];
  if (request.method === 'GET' && drawn !== undefined) {
    send(response, { status: 200, body: picture(drawn), headers: { 'content-type': 'image/svg+xml' } });
    return;
  }
  const file = BULK_FILE_PATH.exec(pathname)?.[1];
  send(
    response,
    request.method === 'GET' && file !== undefined
      ? bulkFile(parts.bulk, file)
      : json(404, { errors: 'Not Found' }),
  );
}

function consentAnswer(answer: AuthorizationAnswer): Answer {
  if (answer.kind === 'redirect') return { status: 302, body: '', headers: { location: answer.location } };
  return {
    status: answer.status,
    body: answer.html,
    headers: { 'content-type': 'text/html; charset=utf-8' },
  };
}

async function handleGraphql(
  parts: HttpParts,
  version: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { tokens, endpoint, faults, apiVersion } = parts;
  const raw = await text(request);
  const token = request.headers['x-shopify-access-token'];
  const refuse = (answer: Answer): void => {
    note(parts, null, null, answer.status);
    send(response, answer);
  };
  if (!tokens.accepts(typeof token === 'string' ? token : undefined)) {
    refuse(
      json(401, { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' }),
    );
    return;
  }
  const served = servedVersion(version, apiVersion);
  if (served === null) {
    refuse(json(404, { errors: 'Not Found' }));
    return;
  }
  const asked = graphqlRequest(raw);
  if (!asked) {
    refuse(json(400, { errors: { query: 'Required parameter missing or invalid' } }));
    return;
  }
  const operation = endpoint.read(asked);
  const fault = faults.next('unreadable' in operation ? [] : namesOf(operation));
  if (fault?.kind === 'status') {
    note(parts, { operation, asked }, null, fault.status);
    send(response, faultyAnswer(fault));
  } else if (fault?.kind === 'reset' && fault.when === 'before') {
    note(parts, { operation, asked }, null, null);
    response.destroy();
  } else {
    const answer = await endpoint.answer(operation, asked, fault?.kind === 'throttle');
    const cut = fault?.kind === 'reset';
    note(parts, { operation, asked }, answer, cut ? null : 200);
    if (cut) response.destroy();
    else send(response, json(200, answer.body, { 'x-shopify-api-version': served }));
  }
}

/** The targets of faults: the operation's own name and its root fields. */
function namesOf({ definition, fields }: Operation): string[] {
  return [...(definition.name ? [definition.name.value] : []), ...fields];
}

function graphqlRequest(raw: string): GraphqlRequest | null {
  const body = GraphqlBody.safeParse(parsedJson(raw));
  if (!body.success) return null;
  const { query, variables, operationName } = body.data;
  return { query, variables: variables ?? {}, operationName: operationName ?? null };
}

function note(
  parts: HttpParts,
  read: { readonly operation: ReturnType<GraphqlEndpoint['read']>; readonly asked: GraphqlRequest } | null,
  answer: GraphqlAnswer | null,
  status: number | null,
): void {
  const operation = read && !('unreadable' in read.operation) ? read.operation : null;
  parts.ledger.requests.push({
    at: parts.now(),
    operationName: operation?.definition.name?.value ?? null,
    fields: operation?.fields ?? [],
    variables: read?.asked.variables ?? null,
    status,
    throttled: answer?.throttled ?? false,
    cost: answer?.cost ?? null,
  });
}

function bulkFile(bulk: BulkOperations, name: string): Answer {
  const content = bulk.file(name);
  if (content === null)
    return { status: 404, body: storageError('NoSuchKey'), headers: { 'content-type': 'application/xml' } };
  if (content === 'expired') {
    return {
      status: 400,
      body: storageError('ExpiredToken'),
      headers: { 'content-type': 'application/xml' },
    };
  }
  return { status: 200, body: content, headers: { 'content-type': 'application/jsonl' } };
}

function storageError(code: string): string {
  return `<?xml version='1.0' encoding='UTF-8'?><Error><Code>${code}</Code></Error>`;
}

/** Outages come from what stands before the API and are no JSON; limits and refusals are. */
function faultyAnswer({ status, retryAfterSeconds }: Extract<Fault, { kind: 'status' }>): Answer {
  const retryAfter: Record<string, string> =
    retryAfterSeconds === null ? {} : { 'retry-after': retryAfterSeconds.toFixed(1) };
  if (status >= 500) {
    const body = `<!DOCTYPE html><html><head><title>${status}</title></head><body>Something went wrong</body></html>`;
    return { status, body, headers: { 'content-type': 'text/html', ...retryAfter } };
  }
  return json(status, { errors: FAULT_MESSAGES[status] ?? 'Refused' }, retryAfter);
}

const FAULT_MESSAGES: Readonly<Record<number, string>> = {
  401: '[API] Invalid API key or access token (unrecognized login or wrong password)',
  402: 'Unavailable Shop',
  403: '[API] This action requires merchant approval.',
  404: 'Not Found',
  423: 'This shop is locked.',
  429: 'Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service.',
};

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  };
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
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
