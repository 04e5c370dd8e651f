import { json, raw, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { notFound, unsupportedMediaType } from './errors.js';
import { API_PREFIX } from '../settings.js';

const UPLOAD_PATH = `${API_PREFIX}/products/upload-csv/`;

/** Documented paths end in a slash. A path without it, or outside of the API, answers 404. */
export const requireApiPath: RequestHandler = ({ path }, response, next) => {
  const known = path.startsWith(`${API_PREFIX}/`) && path.endsWith('/');
  // Answered here: the framework's own handler of unknown routes sees only those under the prefix.
  if (known) next();
  else response.status(404).json(notFound().body);
};

/** Bodies are JSON; the CSV upload also takes text/csv here, and multipart/form-data in its own handler. */
export function bodyParsers(limitBytes: number): RequestHandler[] {
  return [
    json({ limit: limitBytes, strict: false, type: ['application/json', 'application/*+json'] }),
    raw({ limit: limitBytes, type: isCsvUpload }),
    refuseOtherMediaTypes,
  ];
}

function isCsvUpload(request: { readonly url?: string; readonly headers: Request['headers'] }): boolean {
  return isUpload(request.url ?? '') && mediaType(request.headers) === 'text/csv';
}

function refuseOtherMediaTypes(request: Request, _response: Response, next: NextFunction): void {
  const hasBody =
    request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  const type = mediaType(request.headers);
  const parsed =
    request.body !== undefined || (isUpload(request.originalUrl) && type === 'multipart/form-data');
  if (hasBody && !parsed) throw unsupportedMediaType(`Unsupported media type "${type}" in request.`);
  // A body of `null` is no empty object: taken for one, a PUT would empty the product.
  if (request.body === undefined) request.body = {};
  next();
}

function isUpload(url: string): boolean {
  return url.split('?')[0] === UPLOAD_PATH;
}

function mediaType(headers: Request['headers']): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}
