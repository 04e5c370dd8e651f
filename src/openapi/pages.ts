import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, type Router } from 'express';
import type { OpenApiDocument } from './document.js';

/** The page loads only its own files; Swagger UI styles elements in place and shows images out of `data:`. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const START = `SwaggerUIBundle({ url: 'docs-json', dom_id: '#swagger-ui', deepLinking: true });\n`;

/** `/docs` for people and `/docs-json` for programs, with links that hold below any prefix. To be used before the routes. */
export function openApiPages(document: OpenApiDocument): Router {
  const pages = express.Router({ strict: true });
  // Prepared once, and written without an ETag: anybody on the admin network may ask for it at any rate.
  const prepared = Buffer.from(JSON.stringify(document));
  pages.get('/docs-json', (_request, response) => {
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': prepared.length,
    });
    response.end(prepared);
  });
  pages.use('/docs', guarded);
  pages.get('/docs', (_request, response) => {
    response.type('html').send(page(document.info.title));
  });
  pages.get('/docs/', (_request, response) => {
    response.redirect('../docs');
  });
  pages.get('/docs/start.js', (_request, response) => {
    response.type('js').send(START);
  });
  pages.use('/docs', express.static(swaggerUi(), { index: false, maxAge: '1d' }));
  return pages;
}

/** The files that the build copied; sources that run without a build use those of the development dependency. */
function swaggerUi(): string {
  const copied = fileURLToPath(new URL('swagger-ui', import.meta.url));
  if (existsSync(copied)) return copied;
  return dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
}

const guarded: RequestHandler = (_request, response, next) => {
  response.set({ 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' });
  next();
};

function page(title: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" href="docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;
}
