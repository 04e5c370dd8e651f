import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { picture, PICTURE_PATH } from '../pictures.js';
import { RestError } from './model.js';
import type { Call, Reply, Routes } from './routes.js';

/** Stands around each request: it may answer itself, change the shop before, or cut the connection by null. */
export type Around = (call: Call, proceed: () => Promise<Reply>) => Promise<Reply | null>;

export interface HttpParts {
  readonly routes: Routes;
  readonly homeUrl: () => string;
  /** Whether something before the shop ended TLS, so that it sees requests as https. */
  readonly tls: boolean;
  readonly permalinks: 'pretty' | 'plain';
  readonly around: Around;
  readonly onError: (error: unknown) => void;
}

/** The shop's HTTP surface: everything below `/wp-json/`, and pictures for the demo. */
export function shopHttpServer(parts: HttpParts): Server {
  return createServer((request, response) => {
    handle(parts, request, response).catch((error: unknown) => {
      parts.onError(error);
      send(response, {
        status: 500,
        body: { code: 'internal_server_error', message: String(error), data: { status: 500 } },
      });
    });
  });
}

async function handle(parts: HttpParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sandbox');
  const drawn = PICTURE_PATH.exec(pathname)?.[2];
  if (drawn !== undefined) {
    response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(picture(drawn));
    return;
  }
  const raw = await text(request);
  const { method = 'GET' } = request;
  const isApi = pathname.startsWith('/wp-json') && parts.permalinks === 'pretty';
  const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
  const body = isJson && raw !== '' ? parsedJson(raw) : {};
  const call: Call = {
    method,
    path: pathname
      .replace(/^\/wp-json/, '')
      .replace(/^\//, '')
      .replace(/\/$/, ''),
    parameters: searchParams,
    // A body of another type is not read, and the request is carried out without it.
    body: body ?? {},
    authorization: request.headers.authorization,
    tls: parts.tls,
  };
  const reply = await parts.around(call, () =>
    isApi ? replyTo(parts.routes, call, body) : Promise.resolve({ status: 301, body: '' }),
  );
  if (reply === null) response.destroy();
  else if (reply.status === 301) response.writeHead(301, { location: `${parts.homeUrl()}/` }).end();
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

/** Null for text that is no object. */
function parsedJson(raw: string): Call['body'] | null {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
