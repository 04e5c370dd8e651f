/**
 * Everything that the service does not document and the client must assume (docs/catalog-rules.md#what-is-not-documented). Settings are keys
 * of `workspaces.<name>`.
 */
import { z } from 'zod';

const path = z.string().regex(/^\//, 'a path that starts with /');
const method = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** `workspaces.<name>.generation.request`: the call that requests generation. */
export const generationRequestSchema = z.strictObject({ method, path, body: z.unknown().optional() });
export type GenerationRequest = z.output<typeof generationRequestSchema>;

/** `workspaces.<name>.assumptions`: the shape of the settings. Every key is optional. */
export const assumptionOverridesSchema = z.strictObject({
  deleteProduct: z
    .strictObject({ method, path })
    .partial()
    .optional()
    .describe('the call that deletes a product'),
  uploadCsv: z
    .strictObject({ method, path, field: z.string().min(1) })
    .partial()
    .optional()
    .describe("the CSV upload; `field` is the name of the form's field"),
});
export type AssumptionOverrides = z.input<typeof assumptionOverridesSchema>;

export const DEFAULT_GENERATION_REQUEST: GenerationRequest = {
  method: 'POST',
  path: '/products/generate/',
  body: { product_ids: '{product_ids}' },
};
export const DEFAULT_TASK_STATUSES = {
  success: ['SUCCESS'],
  failure: ['FAILURE', 'FAILED', 'ERROR', 'REVOKED', 'CANCELLED'],
};

/** The names under which an answer may hold a task's id, status and reason of a failure. The first that is there counts. */
export const TASK_FIELDS = {
  id: ['task_id', 'background_task_id', 'id'],
  status: ['status', 'state'],
  reason: ['reason_for_failure', 'reason', 'error', 'detail', 'message'],
} as const;

/** The names of tokens in an answer, and the documented lifetimes of those that do not contain their own. */
export const TOKENS = {
  accessFields: ['access', 'access_token', 'token'],
  refreshFields: ['refresh', 'refresh_token'],
  accessSeconds: 7 * 86_400,
  refreshSeconds: 14 * 86_400,
} as const;

export type Method = z.output<typeof method>;

export interface Assumptions {
  readonly deleteProduct: { readonly method: Method; readonly path: string };
  readonly uploadCsv: { readonly method: Method; readonly path: string; readonly field: string };
}

export const DEFAULT_ASSUMPTIONS: Assumptions = {
  deleteProduct: { method: 'DELETE', path: '/products/{id}/' },
  uploadCsv: { method: 'POST', path: '/products/upload-csv/', field: 'file' },
};

/** The defaults merged with the settings, key by key. */
export function resolveAssumptions(overrides: AssumptionOverrides = {}): Assumptions {
  const base = DEFAULT_ASSUMPTIONS;
  return {
    deleteProduct: { ...base.deleteProduct, ...overrides.deleteProduct },
    uploadCsv: { ...base.uploadCsv, ...overrides.uploadCsv },
  };
}
