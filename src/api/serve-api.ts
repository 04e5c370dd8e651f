import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import { openApiPages } from '../openapi/pages.js';
import { BearerAuthentication } from './admin.guard.js';
import { API_CONTROLLERS } from './controllers.js';
import { openApiDocument } from './openapi.js';
import { storableAddress, storableBody } from './storable-input.js';

const API_BODY_LIMIT = '1mb';

/** Adds what runs before the routes of the API: authentication, the parser of bodies, and the pages that describe it. */
export function serveApi(app: NestExpressApplication): void {
  app.use(storableAddress);
  // Whatever its type says: curl names a form, and a body that is passed over would stand for every workspace.
  const body = [express.json({ limit: API_BODY_LIMIT, type: () => true, inflate: false }), storableBody];
  app.use('/api', app.get(BearerAuthentication).use, ...body);
  app.use(openApiPages(openApiDocument(API_CONTROLLERS)));
}
