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

export interface Assumption {
  /** The undocumented behaviour. */
  readonly what: string;
  /** What store-sync does, so that it is right whatever the service does. */
  readonly behaviour?: string;
  /** The key of `workspaces.<name>` that says what the service does. docs/configuration.md has its default. */
  readonly setting?: string;
}

/** The list of assumptions in docs/catalog-rules.md. */
export const ASSUMPTIONS: readonly Assumption[] = [
  { what: 'Deleting a product', setting: 'assumptions.deleteProduct' },
  { what: 'Listing variants', behaviour: 'GET; the answer may be a page or a bare array' },
  { what: 'CSV upload', setting: 'assumptions.uploadCsv' },
  {
    what: 'Generation',
    behaviour: 'an answer without task ids is no failure',
    setting: 'generation.request',
  },
  {
    what: 'Fields of a background task; the first that is there counts',
    behaviour: Object.entries(TASK_FIELDS)
      .map(([field, candidates]) => `${field}: ${candidates.join(' | ')}`)
      .join('; '),
  },
  { what: 'Task statuses that mean success', setting: 'tasks.success' },
  { what: 'Task statuses that mean failure', setting: 'tasks.failure' },
  {
    what: 'Answer to a refresh',
    behaviour: `access token: ${TOKENS.accessFields.join(' | ')}; refresh token: ${TOKENS.refreshFields.join(' | ')}; without a new refresh token the old one stays`,
  },
  {
    what: 'Whether a refresh takes the bearer header',
    behaviour: 'it is sent; where the call is refused, the next one is a login',
  },
  {
    what: 'Expiry of tokens',
    behaviour:
      'read from the token where possible, otherwise as AUTH-07 says; a token that is refused earlier is renewed',
  },
  {
    what: 'Whether PUT and PATCH take locale',
    behaviour: 'with a locale, texts go by POST',
  },
  { what: 'Page size of lists', behaviour: 'whole lists ask for page_size=250' },
  { what: 'Rate limits', setting: 'requestsPerSecond' },
  { what: 'Permissions of an API token beside the product endpoints', setting: 'auth' },
  { what: 'Numeric success codes', behaviour: 'any 2xx' },
  {
    what: 'GET /settings/webhooks/ when nothing is configured',
    behaviour: '404, an empty body, {} and a null url all mean none',
  },
  {
    what: 'Whether GET /settings/webhooks/ shows the secret, a mask of it, or nothing',
    behaviour: 'what it shows right after our write counts as ours',
  },
  {
    what: 'Whether an empty list of actions means none or all',
    behaviour: 'each write names all three, and an empty list is replaced',
  },
  {
    what: 'Language of the product in a delivery',
    behaviour: 'with a locale, the product is read in it before anything is written',
    setting: 'locale',
  },
  {
    what: 'GET for a product without a text in the locale',
    behaviour: 'the text of the default locale, an empty text and 404 all mean none',
  },
  {
    what: 'Whether "not notified twice" means forever or for each task',
    behaviour: 'open tasks are polled, and the newest generated products are looked through',
    setting: 'tasks.pollSeconds',
  },
  {
    what: 'Whether a PATCH merges open_attributes and metadata or replaces them',
    behaviour: 'members of other systems are read and sent again',
  },
  {
    what: 'Whether POST matches variants',
    behaviour:
      'POST carries identifiers only where a full listing, variants included, proved them free; otherwise PATCH sends them',
  },
  {
    what: 'Which identifier decides when POST matches several products',
    behaviour: 'without that proof, POST carries the external_id alone',
  },
  {
    what: 'Whether PATCH merges or replaces the set of variants',
    behaviour: 'variants that stay are named, variants that left give up their identifiers first',
  },
  {
    what: 'Whether the listing shows every product of the workspace',
    behaviour: 'a product that it leaves out is looked up by its id before it counts as gone',
  },
  {
    what: 'Which value clears an identifier',
    behaviour: 'null; an empty string where the answer shows that null did not clear it',
  },
];
