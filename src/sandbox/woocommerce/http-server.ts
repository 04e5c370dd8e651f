import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { picture, PICTURE_PATH } from '../pictures.js';
import { RestError } from './model.js';
import type { Call, Reply, Routes } from './routes.js';

/** Stands around each request: it may answer itself, change the shop before, or cut the connection by null. */
export type Around = (call: Call, proceed: () => Promise<Reply>) => Promise<Reply | null>;

export interface HttpParts {
  readonly routes: Routes;
  readonly around: Around;
  readonly onError: (error: unknown) => void;
}

const BodySchema = z.record(z.string(), z.unknown());

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
  const call: Call = {
    method: request.method ?? 'GET',
    path: pathname.replace(/^\/wp-json/, '').replace(/^\//, ''),
    parameters: searchParams,
    body: raw === '' ? {} : BodySchema.parse(JSON.parse(raw)),
  };
  const reply = await parts.around(call, () => replyTo(parts.routes, call));
  if (reply === null) response.destroy();
  else send(response, reply);
}

async function replyTo(routes: Routes, call: Call): Promise<Reply> {
  try {
    return await routes.answer(call);
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    return { status: error.status, body: error.body() };
  }
}

function send(response: ServerResponse, { status, body, total, pages }: Reply): void {
  const isHtml = typeof body === 'string';
  const content = isHtml ? body : JSON.stringify(body);
  response.writeHead(status, {
    'content-type': isHtml ? 'text/html' : 'application/json; charset=UTF-8',
    'content-length': Buffer.byteLength(content),
    ...(total === undefined ? {} : { 'x-wp-total': total, 'x-wp-totalpages': pages }),
  });
  response.end(content);
}
