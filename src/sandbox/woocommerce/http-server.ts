import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Fault, Faults } from './faults.js';
import type { Ledger } from './ledger.js';
import { RestError } from './model.js';
import type { Call, Reply, Routes } from './routes.js';

export interface HttpParts {
  readonly routes: Routes;
  readonly faults: Faults;
  readonly ledger: Ledger;
  readonly now: () => Date;
  readonly homeUrl: () => string;
  /** Whether something before the shop ended TLS, so that it sees requests as https. */
  readonly tls: boolean;
  readonly permalinks: 'pretty' | 'plain';
  /** Runs before a request is answered, for changes in the midst of a read. */
  readonly before: () => (call: Call) => void | Promise<void>;
}

/** The shop's HTTP surface: everything below `/wp-json/`. */
export function shopHttpServer(parts: HttpParts): Server {
  return createServer((request, response) => {
    handle(parts, request, response).catch((error: unknown) => {
      parts.ledger.internalErrors.push(error);
      if (response.headersSent) response.destroy();
      else send(response, { status: 500, body: fatal(String(error)) });
    });
  });
}

async function handle(parts: HttpParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
  const raw = await text(request);
  const { method = 'GET' } = request;
  const path = pathname.startsWith('/wp-json')
    ? pathname.slice('/wp-json'.length).replace(/^\//, '').replace(/\/$/, '')
    : null;
  const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  const body = isJson && raw !== '' ? parsedJson(raw) : {};
  const call: Call = {
    method,
    path: path ?? '',
    parameters: searchParams,
    // A body of another type is not read, and the request is carried out without it.
    body: body ?? {},
    authorization: request.headers.authorization,
    tls: parts.tls,
  };
  const note = (status: number | null): void =>
    void parts.ledger.requests.push({
      at: parts.now(),
      method,
      path: call.path,
      query: Object.fromEntries(searchParams),
      body,
      status,
    });
  await parts.before()(call);
  const fault = parts.faults.next([
    method,
    `${method} ${call.path.replace(/^wc\/v3\//, '').split('/')[0] ?? ''}`,
  ]);
  if (fault?.kind === 'reset' && fault.when === 'before') {
    note(null);
    response.destroy();
    return;
  }
  if (fault && fault.kind !== 'reset') {
    const answer = faultyAnswer(fault);
    note(answer.status);
    send(response, answer);
    return;
  }
  if (path === null || parts.permalinks === 'plain') {
    note(301);
    response.writeHead(301, { location: `${parts.homeUrl()}/` }).end();
    return;
  }
  const reply = await replyTo(parts.routes, call, body);
  note(fault ? null : reply.status);
  if (fault) response.destroy();
  else send(response, reply, method === 'HEAD');
}

async function replyTo(routes: Routes, call: Call, body: unknown): Promise<Reply> {
  try {
    if (body === null) throw new RestError(400, 'rest_invalid_json', 'Invalid JSON body passed.');
    return await routes.answer(call);
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    return { status: error.status, body: error.body() };
  }
}

function send(response: ServerResponse, { status, body, total, pages }: Reply, isHead = false): void {
  const isHtml = typeof body === 'string';
  const content = isHtml ? body : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': isHtml ? 'text/html' : 'application/json; charset=UTF-8',
    'content-length': Buffer.byteLength(content),
    ...(total === undefined ? {} : { 'x-wp-total': total, 'x-wp-totalpages': pages }),
  });
  response.end(isHead ? undefined : content);
}

/** A fatal error of PHP is JSON; what a host, a firewall or a web server answers is HTML. */
function faultyAnswer(fault: Exclude<Fault, { kind: 'reset' }>): Reply {
  const status = fault.kind === 'status' ? fault.status : 429;
  if (status === 500) return { status, body: fatal('There has been a critical error on this website.') };
  return { status, body: `<html><head><title>${status}</title></head><body>${status}</body></html>` };
}

function fatal(message: string): object {
  return { code: 'internal_server_error', message, data: { status: 500 } };
}

/** Null for text that is no object. */
function parsedJson(raw: string): Call['body'] | null {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
