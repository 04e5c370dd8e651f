import { z } from 'zod';
import {
  assumptionOverridesSchema,
  DEFAULT_GENERATION_REQUEST,
  DEFAULT_TASK_STATUSES,
  generationRequestSchema,
} from '../catalog/assumptions.js';
import { address, amount, onOff, optionalText, section, text } from './fields.js';

const request = generationRequestSchema.shape;

/** `workspaces.<name>`: one workspace of the catalog service (docs/catalog-rules.md#general). */
export const workspaceSchema = section({
  baseUrl: address().describe('address of the service, ending in `/api/v1`'),
  auth: section({ apiToken: optionalText, email: optionalText, password: optionalText })
    .superRefine((auth, context) => {
      if ((auth.email === undefined) !== (auth.password === undefined)) {
        context.addIssue('email and password together');
      } else if (auth.apiToken === undefined && auth.email === undefined) {
        context.addIssue('apiToken, or email and password, or all three');
      }
    })
    .describe(
      '`{ apiToken }`, `{ email, password }`, or all three: the token for products, the login where the token gets 403',
    ),
  locale: optionalText.describe("of names, descriptions and attributes; empty: the workspace's own default"),
  requestsPerSecond: amount(10, { min: 0.01, max: 10_000, whole: false }).describe(
    'ceiling; never more than double in any one second, and 429 or 503 slow it further',
  ),
  webhook: section({
    hmacSecret: optionalText.describe(
      'signs and verifies deliveries; without it none is taken, and polling serves',
    ),
    previousHmacSecret: optionalText.describe('accepted as well while a rotation lasts'),
    toleranceSeconds: amount(1200, { min: 1, max: 86_400 }).describe(
      "how old a delivery's timestamp may be; the last retry comes after some 670 s",
    ),
    register: onOff(true).describe(
      "write the workspace's one webhook slot at start, never over somebody else's URL",
    ),
  }),
  generation: section({
    mode: z.enum(['auto', 'off']).default('auto').describe('`off` asks for no content, by run or by command'),
    request: section({
      method: request.method.default(DEFAULT_GENERATION_REQUEST.method),
      path: request.path.default(DEFAULT_GENERATION_REQUEST.path),
      body: request.body.default(DEFAULT_GENERATION_REQUEST.body),
    }).describe(
      'the call that requests generation. In path and body, `{product_ids}` and `{external_ids}` stand for the batch, `{product_id}` and `{external_id}` for one product per call',
    ),
    batchSize: amount(50, { min: 1, max: 100_000 }).describe('products per call'),
    minCreditsRemaining: amount(0, { min: 0, whole: false }).describe(
      'credits that requests leave over; what open requests will cost is reserved. It needs webhooks: polled results do not name the credits',
    ),
    maxPerRun: amount(1000, { min: 0 }).describe('products per run; the others follow in later runs'),
    confirmAbove: amount(0, { min: 0 }).describe(
      '`sync` on a terminal asks before it requests content for more products; 0: never',
    ),
  }),
  tasks: section({
    pollSeconds: amount(60, { min: 1, max: 86_400 }).describe(
      'first wait before an open task is asked about; it grows with each try',
    ),
    success: z
      .array(text)
      .min(1)
      .default(DEFAULT_TASK_STATUSES.success)
      .describe('statuses that mean success, in any case'),
    failure: z
      .array(text)
      .default(DEFAULT_TASK_STATUSES.failure)
      .describe('statuses that mean failure; one in neither list means "still running"'),
  }),
  assumptions: assumptionOverridesSchema.prefault({}),
});
