/**
 * Everything that the service does not document and the client must assume (docs/catalog-rules.md#what-is-not-documented). Each entry has a
 * default and the setting that changes it. Settings are keys of `workspaces.<name>`.
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
  listVariants: z
    .strictObject({ path })
    .partial()
    .optional()
    .describe("where a product's variants are listed"),
  uploadCsv: z
    .strictObject({ method, path, field: z.string().min(1) })
    .partial()
    .optional()
    .describe("the CSV upload; `field` is the name of the form's field"),
  localeOnUpdate: z.boolean().optional().describe('send the locale with PUT and PATCH too'),
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
  readonly listVariants: { readonly path: string };
  readonly uploadCsv: { readonly method: Method; readonly path: string; readonly field: string };
  readonly localeOnUpdate: boolean;
}

export const DEFAULT_ASSUMPTIONS: Assumptions = {
  deleteProduct: { method: 'DELETE', path: '/products/{id}/' },
  listVariants: { path: '/products/{id}/variants/' },
  uploadCsv: { method: 'POST', path: '/products/upload-csv/', field: 'file' },
  localeOnUpdate: false,
};

/** The defaults merged with the settings, key by key. */
export function resolveAssumptions(overrides: AssumptionOverrides = {}): Assumptions {
  const base = DEFAULT_ASSUMPTIONS;
  return {
    deleteProduct: { ...base.deleteProduct, ...overrides.deleteProduct },
    listVariants: { ...base.listVariants, ...overrides.listVariants },
    uploadCsv: { ...base.uploadCsv, ...overrides.uploadCsv },
    localeOnUpdate: overrides.localeOnUpdate ?? base.localeOnUpdate,
  };
}

export interface Assumption {
  readonly id: string;
  /** The undocumented behaviour. */
  readonly what: string;
  readonly default: string;
  /** The configuration key that changes it, or the reason why no key is necessary. */
  readonly setting: string;
}

const { deleteProduct, listVariants, uploadCsv } = DEFAULT_ASSUMPTIONS;
const key = (name: string) => `workspaces.<name>.${name}`;

/** The table of assumptions, for docs/catalog-rules.md. */
export const ASSUMPTIONS: readonly Assumption[] = [
  {
    id: 'delete-product',
    what: 'Method and path of deleting a product',
    default: `${deleteProduct.method} ${deleteProduct.path}`,
    setting: key('assumptions.deleteProduct'),
  },
  {
    id: 'list-variants',
    what: 'Methods and payload of the variants path; the answer may be a page or a bare array',
    default: `GET ${listVariants.path}`,
    setting: key('assumptions.listVariants'),
  },
  {
    id: 'upload-csv',
    what: 'Method, path and payload of the CSV upload',
    default: `${uploadCsv.method} ${uploadCsv.path}, multipart, field "${uploadCsv.field}"`,
    setting: key('assumptions.uploadCsv'),
  },
  {
    id: 'generate',
    what: 'Method, path and payload of generation; its answer is searched for task ids, and none is no failure',
    default: `${DEFAULT_GENERATION_REQUEST.method} ${DEFAULT_GENERATION_REQUEST.path} ${JSON.stringify(DEFAULT_GENERATION_REQUEST.body)}`,
    setting: key('generation.request'),
  },
  {
    id: 'task-fields',
    what: 'Fields of a background task: its id, its status, the reason of a failure; the first that is there counts',
    default: Object.entries(TASK_FIELDS)
      .map(([field, candidates]) => `${field}: ${candidates.join(' | ')}`)
      .join('; '),
    setting: 'none needed: all of these names are tried',
  },
  {
    id: 'task-success',
    what: 'Task statuses that mean success (any case); a status in neither list means still running',
    default: DEFAULT_TASK_STATUSES.success.join(', '),
    setting: key('tasks.success'),
  },
  {
    id: 'task-failure',
    what: 'Task statuses that mean failure (any case)',
    default: DEFAULT_TASK_STATUSES.failure.join(', '),
    setting: key('tasks.failure'),
  },
  {
    id: 'refresh-answer',
    what: 'Shape of the answer to a refresh; a new refresh token in it is taken, none keeps the old one',
    default: `access token: ${TOKENS.accessFields.join(' | ')}; refresh token: ${TOKENS.refreshFields.join(' | ')}`,
    setting: 'none needed: all of these names are tried',
  },
  {
    id: 'refresh-bearer',
    what: 'Whether the refresh call wants the bearer header ("every endpoint except login")',
    default: 'sent',
    setting: 'none needed: where the call is refused, the next one is a login',
  },
  {
    id: 'token-lifetime',
    what: 'Whether tokens contain their expiry; it is read from the token where possible, otherwise the documented 7 and 14 days',
    default: `${String(TOKENS.accessSeconds)} s, ${String(TOKENS.refreshSeconds)} s`,
    setting: 'none needed: a token that is refused earlier is renewed',
  },
  {
    id: 'locale-on-update',
    what: 'Whether PUT and PATCH take locale (only the list, create and read endpoints are said to)',
    default: `sent: ${String(DEFAULT_ASSUMPTIONS.localeOnUpdate)}; with a locale, texts go by POST`,
    setting: key('assumptions.localeOnUpdate'),
  },
  {
    id: 'page-size',
    what: 'Page size of lists',
    default:
      'page_size=250 is asked for where the whole list is read, unless it is refused; next is followed, for at most 100,000 pages',
    setting: 'none needed: only next is followed',
  },
  {
    id: 'rate-limit',
    what: 'Rate limits',
    default: '10 requests per second, slowed by 429, 503 and Retry-After',
    setting: key('requestsPerSecond'),
  },
  {
    id: 'api-token-scope',
    what: 'Permissions of an API token beside the product endpoints',
    default: 'the token is tried; where it gets 403 the login serves, if there is one',
    setting: key('auth'),
  },
  {
    id: 'success-codes',
    what: 'Numeric success codes',
    default: 'any 2xx',
    setting: 'none needed: outcomes are distinguished by the shape of the body',
  },
  {
    id: 'forbidden-and-conflict',
    what: 'Which endpoints answer 403 and 409',
    default: 'any may',
    setting: 'none needed: both are translated wherever they come',
  },
  {
    id: 'no-webhook-settings',
    what: 'The answer of GET /settings/webhooks/ when nothing is configured',
    default: '404, an empty body, {} and a null url all mean none',
    setting: 'none needed: all are understood',
  },
  {
    id: 'webhook-secret-shown',
    what: 'Whether GET /settings/webhooks/ shows the secret, a mask of it, or nothing',
    default: 'what it shows right after our write counts as ours',
    setting: 'none needed: all are understood',
  },
  {
    id: 'webhook-actions',
    what: 'Whether an empty list of actions means none or all',
    default: 'each write names all three, and an empty list is replaced',
    setting: 'none needed: both are understood',
  },
  {
    id: 'delivery-language',
    what: 'In which language a delivery shows its product',
    default: 'any: with a locale, the product is read in it before anything is written',
    setting: key('locale'),
  },
  {
    id: 'missing-locale',
    what: 'The answer of GET for a product without a text in the locale',
    default: 'the text of the default locale, an empty text and 404 all mean that there is none',
    setting:
      'none needed: all are understood; a product counts as gone only when it is unknown without a locale too',
  },
  {
    id: 'notified-again',
    what: 'Whether "never twice" is meant forever or for each task',
    default: 'forever: open tasks are polled, and the newest generated products are looked through',
    setting: key('tasks.pollSeconds'),
  },
  {
    id: 'patch-objects',
    what: 'Whether a PATCH merges open_attributes and metadata or replaces them',
    default: 'other systems’ members are read and sent again',
    setting: 'none needed: both are understood',
  },
  {
    id: 'field-limits',
    what: 'Length, size and format limits of fields, requests, files and images',
    default: 'none is enforced here',
    setting: 'none needed: a refusal is reported with the service’s own field messages',
  },
  {
    id: 'post-matches-variants',
    what: 'Whether POST matches variants',
    default:
      'it may: POST carries identifiers only where a full listing, variants included, proved them free',
    setting: 'none needed: otherwise PATCH sends them, and is refused where another product has one',
  },
  {
    id: 'identifier-precedence',
    what: 'Which identifier decides when POST matches several products',
    default: 'any may: an unproved POST carries the external_id alone',
    setting: 'none needed: the request has no other identifier to match',
  },
  {
    id: 'patch-variants',
    what: 'Whether PATCH merges or replaces the set of variants',
    default: 'either: variants that stay are named, variants that left give up their identifiers first',
    setting: 'none needed: both readings have the same result',
  },
  {
    id: 'listing-complete',
    what: 'Whether the listing shows every product of the workspace',
    default: 'it may not: a product that it leaves out is looked up by its id before it counts as gone',
    setting: 'none needed: without a proof nothing is created again',
  },
  {
    id: 'clearing',
    what: 'Which value clears an identifier',
    default: 'null; an empty string where null is refused or changes nothing',
    setting: 'none needed: the answer shows what was cleared',
  },
];
