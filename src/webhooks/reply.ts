import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';

/** A sender that is still sending when it is refused may continue for this long, so that it reads the answer. */
const LINGER_MS = 3_000;
const LINGER_BYTES = 16 * 1024 * 1024;

/** Answers in the shape of every error of the HTTP side; a success says what happened to the body. */
export function reply(response: ServerResponse, statusCode: number, message: string): void {
  if (response.writableEnded || response.destroyed) return;
  const text = head(response, statusCode, message);
  response.end(text);
}

/**
 * Answers a request whose body was not read, or not to its end, and closes the connection. Closing while the sender is still
 * sending would reset the connection and lose the answer: what comes is thrown away first, for a bounded time and size.
 */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  statusCode: number,
  message: string,
): void {
  if (response.writableEnded || response.destroyed) return;
  response.setHeader('connection', 'close');
  const text = head(response, statusCode, message);
  if (request.complete || request.destroyed) {
    response.end(text);
    return;
  }
  response.write(text);
  let bytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) end();
  });
  request.once('end', end).once('close', end);
  request.on('error', () => undefined);
  request.resume();
}

const REPEAT_AFTER_SECONDS = '5';

/** Refuses a body for which there is no memory now. */
export function refuseForNow(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('Retry-After', REPEAT_AFTER_SECONDS);
  refuse(request, response, 503, 'the memory for requests is used up: repeat the request later');
}

/** Asks the sender to repeat what the database does not store now. */
export function askToRepeat(response: ServerResponse): void {
  response.setHeader('Retry-After', REPEAT_AFTER_SECONDS);
  reply(response, 503, 'the database does not store it now: repeat the request later');
}

/** Written without Express, which would first compute an ETag for caching. */
function head(response: ServerResponse, statusCode: number, message: string): string {
  const body =
    statusCode < 400
      ? { status: message }
      : { statusCode, error: STATUS_CODES[statusCode] ?? 'Error', message };
  const text = JSON.stringify(body);
  response.writeHead(statusCode, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  return text;
}
