import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { CodedError } from '../domain/errors.js';
import { picture, PICTURE_PATH } from './pictures.js';

export interface Answer {
  readonly status: number;
  /** An object is sent as JSON. */
  readonly body: object | string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const HOST = '127.0.0.1';

/** A shop's HTTP surface, with pictures for the demo. `answer` never rejects; null cuts the connection. */
export function shopServer(answer: (request: IncomingMessage, url: URL) => Promise<Answer | null>): Server {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://sandbox');
    const drawn = PICTURE_PATH.exec(url.pathname)?.[2];
    if (drawn === undefined) void answer(request, url).then((answered) => send(response, answered));
    else send(response, { status: 200, body: picture(drawn), headers: { 'content-type': 'image/svg+xml' } });
  });
}

function send(response: ServerResponse, answer: Answer | null): void {
  if (answer === null) {
    response.destroy();
    return;
  }
  const { status, body, headers } = answer;
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  const content = isJson ? JSON.stringify(body) : body;
  const type = isJson ? { 'content-type': 'application/json; charset=utf-8' } : {};
  response.writeHead(status, { 'content-length': Buffer.byteLength(content), ...type, ...headers });
  response.end(content);
}

/** Listens on this machine alone, on a port that the system picks for 0. Answers the address without a slash at its end. */
export async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, HOST);
  // Rejects with the server's own error, such as a port that is taken.
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new CodedError('misconfigured', 'the sandbox store has no port');
  return `http://${HOST}:${address.port}`;
}

/** Ends open connections as well. */
export async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
