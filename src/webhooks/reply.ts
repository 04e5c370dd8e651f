import { STATUS_CODES, type ServerResponse } from 'node:http';

/** An answer in the one shape of docs/http.md; a success says what became of the body. */
export function reply(response: ServerResponse, statusCode: number, message: string): void {
  if (response.writableEnded || response.destroyed) return;
  const body =
    statusCode < 400
      ? { status: message }
      : { statusCode, error: STATUS_CODES[statusCode] ?? 'Error', message };
  // Not by Express, which would first look for what a repeated GET might save.
  const text = JSON.stringify(body);
  response
    .writeHead(statusCode, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    })
    .end(text);
}
