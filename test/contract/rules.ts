/**
 * Every rule of the catalog service, one row each: the source of docs/catalog-rules.md. Tests have the id in their
 * title, as `[AUTH-03] …`. `coverage.mjs` counts the passing tests of each rule and fails when a rule has none.
 *
 * `side` says whose behaviour the rule fixes: the service's (held by the contract suite), the client's (held by the
 * client's specs), or both (each needs a test of its own). `decided` marks what the service does not document: the
 * sandbox's own choice. A service that is somebody else's may differ in such a rule: the
 * suite reports it and passes.
 */
export interface ContractRule {
  readonly id: string;
  /** The heading of the rule in docs/catalog-rules.md. */
  readonly section: string;
  readonly rule: string;
  readonly side: 'service' | 'client' | 'both';
  readonly decided?: true;
}

/** Several ids are one fact that is tested for each field or case. */
type Row = readonly [
  ids: string | readonly string[],
  rule: string,
  side: ContractRule['side'],
  decided?: 'decided',
];

function section(heading: string, rows: readonly Row[]): ContractRule[] {
  return rows.flatMap(([ids, rule, side, decided]) =>
    [ids].flat().map((id) => ({
      id,
      section: heading,
      rule,
      side,
      ...(decided === undefined ? {} : { decided: true as const }),
    })),
  );
}

export const RULES: readonly ContractRule[] = [
  ...section('General', [
    ['GEN-01', 'All endpoints are below a base URL that ends in /api/v1', 'both'],
    ['GEN-02', 'Requests and responses use JSON unless stated otherwise', 'both'],
    [
      'GEN-03',
      'Generation, CSV uploads and product models run in the background and answer a task id at once',
      'service',
    ],
    ['GEN-04', 'locale selects name, description and attributes', 'both'],
    ['GEN-05', 'locale defaults to the workspace default locale', 'service'],
    ['GEN-06', 'Paths keep their trailing slash', 'both'],
  ]),
  ...section('Product', [
    ['PROD-01', 'No product field is strictly required', 'service'],
    [
      ['PROD-02', 'PROD-03', 'PROD-04', 'PROD-05'],
      'sku, barcode, mpn and asin are unique; a violation is a field-level validation error',
      'service',
    ],
    ['PROD-06', 'Every writable field is accepted and returned', 'both'],
    ['PROD-07', 'url is a URI', 'service'],
    [
      ['PROD-08', 'PROD-11'],
      'open_attributes and metadata are objects with free-form keys and values of any type',
      'service',
    ],
    ['PROD-09', 'crawl_configuration has reference_string and source_url, the latter a URI', 'service'],
    ['PROD-10', 'images are objects of source_url (URI) and order (integer)', 'service'],
    ['PROD-12', 'product_lists is an array of product list codes', 'service'],
    ['PROD-13', 'tags_to_update is an array of integer tag ids', 'service'],
    ['PROD-14', 'variants have the same shape as a product, recursively', 'service'],
    [
      'PROD-15',
      'Responses add id (integer), is_product_model (boolean), created_at (date-time) and sections (array of objects)',
      'both',
    ],
    ['PROD-16', 'is_product_model is true when the product was created with variants', 'service'],
    ['PROD-17', 'Read-only fields are not written by a request', 'service', 'decided'],
    ['PROD-18', 'Identifiers are unique over products and variants together', 'service', 'decided'],
    [
      'PROD-20',
      'A variant is no parent: it is reached under /products/{id}/variants/ and by its own id',
      'service',
    ],
    ['PROD-21', 'category is a human-readable path of the form Root > Subcategory', 'service'],
    ['PROD-22', 'Undocumented fields are tolerated in answers', 'client'],
  ]),
  ...section('Webhook configuration', [
    ['HOOK-01', 'The url is required and a URI', 'service'],
    ['HOOK-02', 'hmac_secret is optional', 'service'],
    ['HOOK-03', 'actions allows only the three event names', 'service'],
    ['HOOK-04', 'Without actions, all events are enabled', 'service'],
    ['HOOK-05', 'There is one configuration per workspace', 'service'],
  ]),
  ...section('POST /login/', [
    ['LOGIN-01', 'Email (email format) and password are required', 'service'],
    ['LOGIN-02', 'Success answers access and refresh', 'both'],
    ['LOGIN-03', 'Failure answers detail', 'both'],
    ['LOGIN-04', 'Login needs no bearer token', 'both'],
  ]),
  ...section('POST /refresh/', [
    ['REFRESH-01', 'A valid refresh token is exchanged for a new access token', 'both'],
    ['REFRESH-02', 'An invalid or expired refresh token is refused', 'both'],
    ['REFRESH-03', 'An access token is no refresh token', 'service'],
    ['REFRESH-04', 'The answer may or may not hold a new refresh token', 'client'],
  ]),
  ...section('GET /products/', [
    [
      'LIST-01',
      'The answer is count, next, previous and results, each result with the read-only fields',
      'both',
    ],
    ['LIST-02', 'Only parent and standalone products are listed', 'service'],
    [
      'LIST-03',
      'next and previous are absolute URIs or null; following next sees every product once',
      'both',
    ],
    ['LIST-04', 'locale selects the language', 'both'],
    ['LIST-05', 'search matches barcode, sku, mpn, asin and name', 'both'],
    ['LIST-06', 'search does not look at external_id', 'service'],
    ['LIST-07', 'brand matches a substring of a single brand', 'service'],
    ['LIST-08', 'brands takes several brands, repeated or comma-separated', 'both'],
    ['LIST-09', 'category takes a category UUID and includes its descendants', 'service'],
    ['LIST-10', 'category=no_category selects products without a category', 'service'],
    ['LIST-11', 'tag takes tag ids and is repeatable', 'both'],
    ['LIST-12', 'tag=none selects products without tags', 'service'],
    ['LIST-13', 'created_at_after and created_at_before take dates', 'both'],
    ['LIST-14', 'images=true requires images, images=false excludes products with images', 'both'],
    ['LIST-15', 'tasks filters by generation status none, success or not_generated', 'both'],
    ['LIST-16', 'product_list selects by product list code', 'both'],
    ['LIST-17', 'sorting is asc or desc, by default desc', 'both'],
    ['LIST-18', 'order_by is date or task, by default date', 'both'],
    ['LIST-19', 'A missing or invalid token answers 401 with detail', 'both'],
    [
      'LIST-20',
      'The page size is 50 and can be set by page_size; page selects the page',
      'service',
      'decided',
    ],
    ['LIST-21', 'A filter value outside its range is a field-level validation error', 'service', 'decided'],
    ['LIST-22', 'Filters combine: all of them must hold', 'service'],
    ['LIST-23', 'Pages are followed by next, whatever their size', 'client'],
  ]),
  ...section('POST /products/', [
    ['CREATE-01', 'A product without a match is created and returned', 'both'],
    ['CREATE-02', 'A match by external_id updates and returns that product', 'both'],
    [
      ['CREATE-03', 'CREATE-04', 'CREATE-05', 'CREATE-06'],
      'A match by barcode, sku, mpn or asin updates that product',
      'service',
    ],
    ['CREATE-07', 'Repeating a request changes nothing', 'service'],
    [
      'CREATE-08',
      'With variants a product model is created in the background; the answer is background_task_id (integer)',
      'both',
    ],
    ['CREATE-09', 'locale is the language of the texts', 'both'],
    ['CREATE-10', 'A validation error answers 400, as ERROR-01 says', 'both'],
    ['CREATE-11', 'A missing or invalid token answers 401 with detail', 'both'],
    ['CREATE-12', 'Created answers 201, matched 200, accepted 202', 'service', 'decided'],
    [
      'CREATE-13',
      'When identifiers match several products, external_id decides first, then barcode, sku, mpn, asin',
      'service',
      'decided',
    ],
    ['CREATE-14', 'The three outcomes are distinguished by body shape', 'client'],
    ['CREATE-15', 'A match keeps the fields that the request does not name', 'service', 'decided'],
    [
      'CREATE-16',
      'When the background creation fails, nothing of it is kept and the task says why',
      'service',
      'decided',
    ],
    [
      'CREATE-17',
      'Any sequence of upserts leaves every identifier unique over products and variants',
      'service',
    ],
    ['CREATE-18', 'A body over the limit is refused with 413 and detail', 'service', 'decided'],
    ['CREATE-19', 'Broken JSON is refused with 400 and detail', 'service', 'decided'],
  ]),
  ...section('GET /products/{id}/', [
    ['GET-01', 'The product is returned with its read-only fields', 'both'],
    ['GET-02', 'locale selects the language', 'both'],
    ['GET-03', 'An unknown id answers 404 with detail', 'both'],
    ['GET-04', 'The id in the path is a string: one that is no number answers 404', 'service'],
    ['GET-05', 'The detail of a product model carries its variants', 'service', 'decided'],
  ]),
  ...section('PUT /products/{id}/', [
    ['PUT-01', 'The product is replaced: fields that the body does not name are emptied', 'both'],
    ['PUT-02', 'The answer is the product with its read-only fields', 'both'],
    ['PUT-03', 'An identifier in use elsewhere is a field-level validation error', 'both'],
    ['PUT-04', 'An unknown id answers 404 with detail', 'both'],
    ['PUT-05', 'variants replace the set of variants', 'service', 'decided'],
    ['PUT-06', 'A PUT with locale writes that locale alone', 'service', 'decided'],
  ]),
  ...section('PATCH /products/{id}/', [
    ['PATCH-01', 'Only the named fields change; all are optional', 'both'],
    ['PATCH-02', 'The answer is the product with its read-only fields', 'both'],
    [
      'PATCH-03',
      'An identifier in use elsewhere is a field-level validation error, and nothing changes',
      'both',
    ],
    ['PATCH-04', 'An unknown id answers 404 with detail', 'both'],
    ['PATCH-05', 'null clears a field', 'service', 'decided'],
    ['PATCH-06', 'variants that are named are updated or added, others stay', 'service', 'decided'],
    ['PATCH-07', 'A PATCH with locale writes that locale alone', 'service', 'decided'],
  ]),
  ...section('DELETE /products/{id}/', [
    ['DELETE-01', 'A product is deleted and answers 404 afterwards', 'both', 'decided'],
    ['DELETE-02', 'An unknown id answers 404 with detail', 'both', 'decided'],
    ['DELETE-03', 'Its variants go with it and their identifiers become free', 'service', 'decided'],
  ]),
  ...section('Variants of a product', [
    ['VAR-01', 'Variants are listed under /products/{id}/variants/', 'both'],
    ['VAR-02', 'The listing is paginated like that of products', 'service', 'decided'],
    ['VAR-03', 'A POST there adds a variant, or updates the one it matches', 'service', 'decided'],
    ['VAR-04', 'An unknown product answers 404 with detail', 'service'],
  ]),
  ...section('CSV upload of products', [
    ['CSV-01', 'The upload answers a task id, as GEN-03 says', 'both'],
    ['CSV-02', 'Rows are upserted by the matching rules of POST /products/', 'service', 'decided'],
    ['CSV-03', 'A row that is refused is reported in the task; the others are kept', 'service', 'decided'],
    ['CSV-04', 'multipart/form-data and text/csv are taken', 'service', 'decided'],
    ['CSV-05', 'A file without usable columns is refused', 'service', 'decided'],
  ]),
  ...section('Generation', [
    ['GENERATE-01', 'The request answers a task id, as GEN-03 says', 'both'],
    ['GENERATE-02', 'One task per product is recorded beside the task of the request', 'service', 'decided'],
    ['GENERATE-03', 'A generated product carries new content and sections', 'service'],
    [
      ['GENERATE-04', 'GENERATE-05'],
      'A generation that fails, or finds no source URLs, ends as FAILURE and says why',
      'service',
    ],
    [
      'GENERATE-06',
      'Credits are consumed by success; none left means failure with that reason',
      'service',
      'decided',
    ],
    [
      'GENERATE-07',
      'Unknown products in the request are a field-level validation error',
      'service',
      'decided',
    ],
    [
      'GENERATE-08',
      "Content is made by rules from the product's own data, is the same each time, and says so",
      'service',
      'decided',
    ],
    ['GENERATE-09', 'The request is sent as configured: method, path and body', 'client'],
  ]),
  ...section('Background tasks', [
    ['TASK-01', 'GET /background-tasks/ lists the tasks', 'both'],
    ['TASK-02', 'GET /background-tasks/{task_id}/ answers one task', 'both'],
    ['TASK-03', 'A task ends as SUCCESS when its work is done', 'both'],
    ['TASK-04', 'An unknown task answers 404 with detail', 'both'],
    ['TASK-05', 'The other statuses are PENDING, STARTED and FAILURE', 'service', 'decided'],
    ['TASK-06', 'A status that is not known means that the task is still running', 'client'],
    ['TASK-07', 'background_task_id names a task under /background-tasks/', 'service'],
    [
      'TASK-08',
      'A background task that was cut off by a stop is finished after the next start',
      'service',
      'decided',
    ],
  ]),
  ...section('/settings/webhooks/', [
    ['SETTINGS-01', 'GET returns url, hmac_secret and actions', 'both'],
    ['SETTINGS-02', 'POST stores the configuration and returns it', 'both'],
    ['SETTINGS-03', 'POST always replaces the single configuration, whole', 'service'],
    ['SETTINGS-04', 'An invalid body is a field-level validation error, and the configuration stays', 'both'],
    ['SETTINGS-05', 'DELETE removes the configuration, without a body', 'both'],
    ['SETTINGS-06', 'GET without a configuration answers 404 with detail', 'both', 'decided'],
  ]),
  ...section('Authentication', [
    ['AUTH-01', 'Requests carry Authorization: Bearer <token>; every endpoint except login needs it', 'both'],
    ['AUTH-02', 'An API token serves the product endpoints', 'both'],
    ['AUTH-03', 'An API token does not expire', 'service'],
    ['AUTH-04', 'A revoked API token is refused', 'service'],
    ['AUTH-05', 'API tokens are issued by the operator, shown in full once and stored as a hash', 'service'],
    ['AUTH-06', 'The access token of a login is used as the bearer token', 'both'],
    [['AUTH-07', 'AUTH-08'], 'An access token is valid for 7 days, a refresh token for 14', 'both'],
    ['AUTH-09', 'A missing or invalid token answers 401 with detail', 'both'],
    ['AUTH-10', 'A valid token that lacks the permission answers 403', 'both'],
    ['AUTH-11', 'Only HTTPS is used, except on loopback addresses', 'client'],
    ['AUTH-12', 'A refresh token is no access token', 'service'],
    ['AUTH-13', 'A forged, unsigned or otherwise signed JWT answers 401', 'service'],
    ['AUTH-15', 'A valid token without the subscription answers 403', 'both'],
    ['AUTH-14', 'Concurrent requests with an expired token cause one renewal', 'client'],
  ]),
  ...section('Events', [
    [
      ['EVENT-01', 'EVENT-02', 'EVENT-03'],
      'product_generated, product_generation_failed and product_generation_no_urls tell how a generation ended',
      'service',
    ],
    ['EVENT-04', 'Only the events in actions are delivered', 'service'],
    ['EVENT-05', 'Without actions, all three are delivered', 'service'],
    ['EVENT-06', 'Without a configuration nothing is delivered', 'service'],
  ]),
  ...section('Delivery', [
    [
      'DELIVERY-01',
      'A delivery is a POST to the configured url with Content-Type application/json',
      'service',
    ],
    ['DELIVERY-02', 'A delivery times out after 10 seconds', 'service'],
    ['DELIVERY-03', 'A 2xx response is success', 'service'],
    ['DELIVERY-04', 'A 4xx response is permanent and is not retried', 'service'],
    [
      ['DELIVERY-05', 'DELIVERY-06', 'DELIVERY-07'],
      'A 5xx response, a timeout and a connection error are retried',
      'service',
    ],
    [
      'DELIVERY-08',
      'Up to 5 retries follow, after roughly 1, 8, 60, 120 and 420 seconds, then none',
      'service',
    ],
    ['DELIVERY-09', 'The same product-and-event pair is not notified twice', 'service'],
    ['DELIVERY-10', 'A redirect is not followed', 'service', 'decided'],
    ['DELIVERY-11', 'A retry schedule goes on after a restart of the service', 'service', 'decided'],
  ]),
  ...section('Delivery body', [
    ['BODY-01', 'action, status, credits, task and product are there', 'both'],
    ['BODY-02', 'credits holds consumed and remaining, numbers', 'both'],
    ['BODY-03', 'task holds id (string), status, created_at, updated_at and urls', 'both'],
    ['BODY-04', 'Each of task.urls holds id, url, status, relevant_score and is_user_provided_link', 'both'],
    ['BODY-05', 'product is the full payload, with custom attributes under sections', 'both'],
    ['BODY-06', 'product is null when it is not available', 'both'],
    ['BODY-07', 'reason_for_failure may be absent or empty', 'both'],
  ]),
  ...section('Signature', [
    ['SIGN-01', 'With a secret, X-Webhook-Timestamp holds the Unix time in seconds', 'both'],
    [
      'SIGN-02',
      'With a secret, X-Webhook-Signature is sha256= and the hex HMAC-SHA256 of timestamp, dot, raw body',
      'both',
    ],
    ['SIGN-03', 'Without a secret both headers are absent', 'service'],
    [
      'SIGN-04',
      'The signature covers the raw bytes: the same body serialised otherwise does not verify',
      'both',
    ],
  ]),
  ...section('Errors', [
    [
      ['ERROR-01', 'ERROR-06'],
      '400 is a validation error: a map of field names to arrays of messages',
      'both',
    ],
    ['ERROR-02', '401 is a missing or invalid token', 'both'],
    ['ERROR-03', '403 is a valid token without the permission', 'both'],
    ['ERROR-04', '404 is a resource that does not exist, with detail', 'both'],
    ['ERROR-05', '409 is a resource that exists already', 'client'],
    ['ERROR-07', 'Unknown routes answer 404 with detail', 'service', 'decided'],
    ['ERROR-08', 'Nested fields are named by a dotted path', 'service', 'decided'],
    ['ERROR-09', 'A JSON body of null is refused with 400 and changes nothing', 'service', 'decided'],
  ]),
  ...section('Limits', [['LIMIT-01', 'Rate limits are not shown: 429 and 503 are met by waiting', 'client']]),
  ...section('Versioning', [['VERSION-01', 'The path prefix /api/v1 is the version', 'service']]),
];
