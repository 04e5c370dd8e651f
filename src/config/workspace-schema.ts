import { z } from 'zod';
import {
  assumptionOverridesSchema,
  DEFAULT_GENERATION_REQUEST,
  DEFAULT_TASK_STATUSES,
  generationRequestSchema,
} from '../catalog/assumptions.js';
import { address, amount, onOff, optionalText, section, text } from './fields.js';

const request = generationRequestSchema.shape;

/** The page of a product for people, with `{id}` in the place of its id. */
const optionalPage = optionalText.refine(
  (page) => page === undefined || (/^https?:\/\//.test(page) && page.includes('{id}') && URL.canParse(page)),
  'an http(s) address that contains {id}',
);

/** `workspaces.<name>`: one workspace of the catalog service (docs/catalog-rules.md#general). */
export const workspaceSchema = section({
  baseUrl: address(),
  auth: section({ apiToken: optionalText, email: optionalText, password: optionalText }).superRefine(
    (auth, context) => {
      if ((auth.email === undefined) !== (auth.password === undefined)) {
        context.addIssue('email and password together');
      } else if (auth.apiToken === undefined && auth.email === undefined) {
        context.addIssue('apiToken, or email and password, or all three');
      }
    },
  ),
  locale: optionalText,
  productPage: optionalPage,
  requestsPerSecond: amount(10, { min: 0.01, max: 10_000, whole: false }),
  listingMaxAgeMinutes: amount(10, { min: 0, max: 1440 }),
  webhook: section({
    hmacSecret: optionalText,
    previousHmacSecret: optionalText,
    toleranceSeconds: amount(1200, { min: 1, max: 86_400 }),
    register: onOff(true),
  }),
  generation: section({
    mode: z.enum(['auto', 'off']).default('auto'),
    request: section({
      method: request.method.default(DEFAULT_GENERATION_REQUEST.method),
      path: request.path.default(DEFAULT_GENERATION_REQUEST.path),
      body: request.body.default(DEFAULT_GENERATION_REQUEST.body),
    }),
    batchSize: amount(50, { min: 1, max: 100_000 }),
    minCreditsRemaining: amount(0, { min: 0, whole: false }),
    maxPerRun: amount(1000, { min: 0 }),
    confirmAbove: amount(0, { min: 0 }),
  }),
  tasks: section({
    pollSeconds: amount(60, { min: 1, max: 86_400 }),
    success: z.array(text).min(1).default(DEFAULT_TASK_STATUSES.success),
    failure: z.array(text).default(DEFAULT_TASK_STATUSES.failure),
  }),
  assumptions: assumptionOverridesSchema.prefault({}),
});
