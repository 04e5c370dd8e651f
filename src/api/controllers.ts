import { AuditController } from './audit.controller.js';
import { BulkChangesController } from './bulk-changes.controller.js';
import { ConfigController } from './config.controller.js';
import type { Type } from '@nestjs/common';
import { DeliveriesController } from './deliveries.controller.js';
import { PlansController } from './plans.controller.js';
import { ProductsController } from './products.controller.js';
import { StatusController } from './status.controller.js';
import { StoresController } from './stores.controller.js';
import { SyncsController } from './syncs.controller.js';
import { WebhookController } from './webhook.controller.js';
import { WriteBacksController } from './write-backs.controller.js';

/** The controllers below /api/v1: the OpenAPI document describes them all. */
export const API_CONTROLLERS: readonly Type[] = [
  StatusController,
  SyncsController,
  StoresController,
  ProductsController,
  DeliveriesController,
  // Listed before write-backs, whose route `:id` would match `bulk`.
  BulkChangesController,
  WriteBacksController,
  PlansController,
  AuditController,
  WebhookController,
  ConfigController,
];
