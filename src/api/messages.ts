/** Every sentence that the API answers or logs. Descriptions for the OpenAPI document stand at their routes and fields. */
export const messages = {
  // Access
  apiOff: 'the API is off: server.adminToken and server.tokens are not set',
  tooManyTokens: 'too many wrong tokens',
  tokenNeeded: 'a bearer token is needed',
  wrongToken: 'a request with a wrong bearer token was refused',
  roleNeeded: (role: string, name: string, own: string): string =>
    `this needs the role ${role}; ${name} has ${own}`,

  // Requests
  nulInAddress: 'the address has a NUL character: remove %00',
  nulInBody: 'the body has a NUL character: remove it',
  bodyTooLarge: 'the body is too large',
  bodyUnreadable: 'the body cannot be read',
  requestInvalid: 'the request is invalid: see details',
  severalProducts: (name: string): string =>
    `${name} matches several products: use an external_id of details`,
  noStore: (key: string): string => `no store "${key}" is configured`,
  starting: 'store-sync is starting',
  noRow: 'no such row',
  unknown: (kind: string, name: string): string => `no ${kind} ${name.slice(0, 100)}`,

  // The install flow
  installed: 'store-sync is installed',
  installedText: (key: string): string =>
    `Your store is connected under the name ${key}. You can close this page.`,
  notInstalled: 'store-sync is not installed',
  installRefused: 'an installation was refused',

  // Faults
  unforeseen: 'a request ended on an unforeseen error',
  internalError: 'an internal error: see the log of the daemon',
  noAnswer: 'no answer in time',
  metricsUnreadable: 'metrics could not be read',

  // The OpenAPI document
  apiDescription:
    'The same operations as the commands, over HTTP. Every request carries `Authorization: Bearer` with server.adminToken.',
  notDescribed: (controller: string, method: string): string =>
    `route ${controller}.${method} has no @Describe`,
  queryNoObject: 'the schema of a query is not an object',
  bodyUnnamed: (route: string): string => `the body of ${route} has no name for the OpenAPI document`,
  nameTwice: (name: string): string => `two schemas have the name ${name} in the OpenAPI document`,
} as const;

const AT = '2026-11-21T03:15:00.000Z';
const RUN_ID = '6f1c2a34-58d0-4c1e-9f0b-2f6a7d1c9e55';
const PRODUCT = 'shopify:example.myshopify.com:8123456789';

/** Values in the examples of the OpenAPI document. */
export const exampleTexts: {
  readonly AT: string;
  readonly RUN_ID: string;
  /** A likely value for each name of a field that is a text or a number, or that says nothing about its type. */
  readonly SAMPLES: Readonly<Record<string, unknown>>;
} = {
  AT,
  RUN_ID,
  SAMPLES: {
    action: 'replay',
    actor: 'admin',
    added: 'main',
    address: '203.0.113.7',
    after: 'Linen shirt with a mandarin collar',
    before: 'Linen shirt',
    body: { task_id: 'b7c1', status: 'SUCCESS' },
    came: 'Linen shirt with a mandarin collar',
    catalog: 12,
    catalogId: '4711',
    catalogProblem: 'the catalog does not answer',
    changed: 'main',
    code: 'invalid_product',
    creditsConsumed: 3,
    creditsRemaining: 840,
    day: '2026-11-21',
    decidedBy: 'admin',
    deliveryId: '0d9b3a52-6a14-4b0e-8f3a-3f0c9f0a1d11',
    detail: 'the text has 40 words, the text before had 120',
    error: 'the store did not answer within 30 s',
    excerpt: 'Linen shirt with…',
    externalId: PRODUCT,
    externalIds: PRODUCT,
    field: 'title',
    fields: 'title',
    findings: 'title',
    found: 'lifetime guarantee',
    from: 'sections.seo_title',
    gate: 'forbid',
    handle: 'linen-shirt',
    headers: 'application/json',
    id: RUN_ID,
    ids: RUN_ID,
    incomplete: 'the run stopped at a limit',
    intended: 'Linen shirt with a mandarin collar',
    kind: 'sku',
    label: 'Linen shirt',
    limit: 50,
    live: 'Linen shirt',
    mediaLost: 'an image of the description',
    message: 'sku: must be unique',
    note: 'unchanged since the last night',
    notes: 'generation.maxPerRun was reached',
    offset: 0,
    outcome: 'written',
    owner: PRODUCT,
    passedOver: 1,
    paused: 'the catalog refused the token',
    products: 'Linen shirt',
    reappliedFrom: RUN_ID,
    reason: 'the merchant edited the field',
    reasons: 'the description changed',
    remedy: 'give each product its own SKU',
    removed: 'main',
    role: 'admin',
    run: RUN_ID,
    runId: RUN_ID,
    scope: 'title',
    search: 'linen',
    score: 0.93,
    setting: 'writeBack.fields: { sections.seo_title: seo.title }',
    shop: 'example.myshopify.com',
    sources: 'https://supplier.example.com/linen-shirt',
    standing: 'waits for review',
    state: 'ready',
    status: 'SUCCESS',
    statusCode: 404,
    stopped: 'cancelled by admin',
    store: 'main',
    stores: 'main',
    target: 'title',
    targets: PRODUCT,
    taskId: 'b7c1',
    text: 'Linen shirt with a mandarin collar',
    to: AT,
    trigger: 'api',
    unsuccessful: PRODUCT,
    url: 'https://sync.example.com/webhooks/catalog/default',
    value: 'LIN-01',
    warnings: 'stores.main.webhookSecret is not set',
    watermark: AT,
    webhook: 'registered',
    what: 'write-back applied',
    who: 'another product of this store',
    workspace: 'default',
    workspaces: 'default',
    written: 'Linen shirt with a mandarin collar',
  },
};
