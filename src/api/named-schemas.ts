import type { z } from 'zod';
import { auditPageSchema } from '../operations/audit.js';
import { bulkChangePageSchema, bulkChangeSchema, bulkRequestSchema } from '../operations/bulk-changes.js';
import { reloadAnswerSchema } from '../operations/config-reload.js';
import { deliveryPageSchema, deliverySchema } from '../operations/deliveries.js';
import { driftSchema } from '../operations/drift.js';
import { generateAnswerSchema, generateBodySchema } from '../operations/generate.js';
import { idSchema, idsSchema, rowOutcomeSchema, rowOutcomesSchema } from '../operations/paging.js';
import {
  appliedPlanSchema,
  planBodySchema,
  planEntryPageSchema,
  planPageSchema,
  planSchema,
} from '../operations/plans.js';
import { runPageSchema, runSchema, syncBodySchema } from '../operations/present-run.js';
import { writeBackPageSchema, writeBackSchema } from '../operations/present-write-back.js';
import { productPageSchema, productTimelineSchema } from '../operations/products.js';
import { runItemPageSchema } from '../operations/run-items.js';
import { statusSchema } from '../operations/status.js';
import { retryAnswerSchema } from '../operations/store-health.js';
import { slotBodySchema, slotsSchema } from '../operations/webhook-slots.js';
import {
  approvalSchema,
  approvalsSchema,
  approveManySchema,
  editSchema,
  rejectionSchema,
  rejectManySchema,
} from '../operations/write-backs.js';

/** The answers of the API by their names in the OpenAPI document, which generated clients take for their types. */
export const ANSWERS = {
  AppliedPlan: appliedPlanSchema,
  Approvals: approvalsSchema,
  AuditPage: auditPageSchema,
  BulkChange: bulkChangeSchema,
  BulkChangePage: bulkChangePageSchema,
  Delivery: deliverySchema,
  DeliveryPage: deliveryPageSchema,
  Drift: driftSchema,
  Generated: generateAnswerSchema,
  Id: idSchema,
  Outcome: rowOutcomeSchema,
  Outcomes: rowOutcomesSchema,
  Plan: planSchema,
  PlanEntryPage: planEntryPageSchema,
  PlanPage: planPageSchema,
  Product: productTimelineSchema,
  ProductPage: productPageSchema,
  Reloaded: reloadAnswerSchema,
  Retried: retryAnswerSchema,
  Run: runSchema,
  RunItemPage: runItemPageSchema,
  RunPage: runPageSchema,
  Status: statusSchema,
  WebhookSlots: slotsSchema,
  WriteBack: writeBackSchema,
  WriteBackPage: writeBackPageSchema,
} as const satisfies Readonly<Record<string, z.ZodType>>;
export type AnswerName = keyof typeof ANSWERS;

/** The bodies by their names there. */
export const BODIES: Readonly<Record<string, z.ZodType>> = {
  Approval: approveManySchema,
  BulkRequest: bulkRequestSchema,
  Edit: editSchema,
  GenerateRequest: generateBodySchema,
  Ids: idsSchema,
  PlanRequest: planBodySchema,
  Rejection: rejectionSchema,
  Rejections: rejectManySchema,
  SyncRequest: syncBodySchema,
  VersionSeen: approvalSchema,
  WebhookRequest: slotBodySchema,
};
