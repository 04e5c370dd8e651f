import type { Type } from '@nestjs/common';
import { AuditOperations } from './audit.js';
import { AwaitedContent } from './awaited-content.js';
import { BulkOperations } from './bulk-changes.js';
import { CatalogUploads } from './catalog-upload.js';
import { ConfigReload } from './config-reload.js';
import { DeliveryOperations } from './deliveries.js';
import { DryRuns } from './dry-runs.js';
import { DriftOperations } from './drift.js';
import { GenerateOperations } from './generate.js';
import { KeyedRequests } from './keyed-requests.js';
import { NewStores } from './new-stores.js';
import { OverviewReader } from './overview.js';
import { GroundLooks, SilentSides } from './outages.js';
import { PlanOperations } from './plans.js';
import { RunOperations } from './runs.js';
import { StatusReader } from './status.js';
import { StoreInstalls } from './store-installs.js';
import { SignOuts } from './sign-outs.js';
import { StoreHealthOperations } from './store-health.js';
import { RefusedAttempts } from './refused-attempts.js';
import { LiveCheck } from './live-check.js';
import { Reports } from './reports.js';
import { SearchOperations } from './search.js';
import { SyncCosts } from './sync-cost.js';
import { ProductOperations } from './products.js';
import { WebhookSlotOperations } from './webhook-slots.js';
import { ProductNames } from './product-names.js';
import { WriteBackReview } from './write-back-review.js';
import { WriteBackOperations } from './write-backs.js';

/** The use cases that commands, the API and the dashboard share, one class each. */
export const OPERATIONS: readonly Type[] = [
  StatusReader,
  OverviewReader,
  GroundLooks,
  SilentSides,
  RunOperations,
  AwaitedContent,
  StoreHealthOperations,
  AuditOperations,
  CatalogUploads,
  ConfigReload,
  DeliveryOperations,
  WriteBackOperations,
  BulkOperations,
  ProductOperations,
  DriftOperations,
  GenerateOperations,
  WebhookSlotOperations,
  PlanOperations,
  DryRuns,
  StoreInstalls,
  NewStores,
  RefusedAttempts,
  SignOuts,
  KeyedRequests,
  SyncCosts,
  LiveCheck,
  Reports,
  SearchOperations,
  ProductNames,
  WriteBackReview,
];
