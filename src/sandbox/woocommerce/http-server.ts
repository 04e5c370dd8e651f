import type { IncomingMessage, Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { shopServer, type Answer } from '../shop-server.js';
import { RestError } from './model.js';
import type { Call, Reply, Routes } from './routes.js';

/** Stands around each request: it may answer itself, change the shop before, or cut the connection by null. */
export type Around = (call: Call, proceed: () => Promise<Reply>) => Promise<Reply | null>;

export interface HttpParts {
  readonly routes: Routes;
  readonly now: () => Date;
  readonly around: Around;
  readonly onError: (error: unknown) => void;
}

const BodySchema = z.record(z.string(), z.unknown());

/** The shop's HTTP surface: everything below `/wp-json/`. */
export function shopHttpServer(parts: HttpParts): Server {
  return shopServer(async (request, url) => {
    try {
      const reply = await replyOf(parts, request, url);
      return reply === null ? null : answerOf(reply, parts.now());
    } catch (error) {
      parts.onError(error);
      return answerOf(errorReply(new RestError(500, 'internal_server_error', String(error))), parts.now());
    }
  });
}

async function replyOf(
  { routes, around }: HttpParts,
  request: IncomingMessage,
  { pathname, searchParams }: URL,
): Promise<Reply | null> {
  const raw = await text(request);
  const call: Call = {
    method: request.method ?? 'GET',
    path: pathname.replace(/^\/wp-json/, '').replace(/^\//, ''),
    parameters: searchParams,
    body: raw === '' ? {} : BodySchema.parse(JSON.parse(raw)),
  };
  return around(call, () =>
    routes.answer(call).catch((error: unknown) => {
      if (!(error instanceof RestError)) throw error;
      return errorReply(error);
    }),
  );
}

function errorReply(error: RestError): Reply {
  return { status: error.status, body: error.body() };
}

function answerOf({ status, body, total, pages, headers }: Reply, now: Date): Answer {
  const own = { date: now.toUTCString(), ...headers };
  if (typeof body === 'string') return { status, body, headers: { ...own, 'content-type': 'text/html' } };
  const counts = { 'x-wp-total': String(total), 'x-wp-totalpages': String(pages) };
  return { status, body, headers: { ...own, ...(total === undefined ? {} : counts) } };
}
