import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RequestHandler } from 'express';

/** A shorter text fits into one packet of the network as it is. */
const SHORTEST = 1_000;
const compress = promisify(gzip);

/** Express middleware: compresses pages and their assets. The rows of a list repeat their markup, so that a page becomes a tenth. */
export const compressed: RequestHandler = (request, response, next) => {
  const send = response.send.bind(response);
  response.vary('accept-encoding');
  response.send = (body?: unknown) => {
    response.send = send;
    const isSmall = typeof body !== 'string' || body.length < SHORTEST;
    if (isSmall || request.acceptsEncodings('gzip') === false) return send(body);
    if (response.get('content-type') === undefined) response.type('html');
    response.set('content-encoding', 'gzip');
    void compress(body).then(send, next);
    return response;
  };
  next();
};
