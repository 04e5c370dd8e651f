/** The sandbox's own choices where the catalog service documents nothing. The page /docs of the sandbox lists these rows. */
export interface Decision {
  readonly topic: string;
  readonly decision: string;
}

export const DECISIONS: readonly Decision[] = [
  {
    topic: 'Success codes',
    decision:
      'POST /products/: matched 200, created 201, accepted in the background 202. PUT and PATCH 200, DELETE 204. Login, refresh and POST /settings/webhooks/ 200. Generation and CSV upload 202.',
  },
  { topic: 'Trailing slash', decision: 'Paths end in a slash; without it they answer 404.' },
  {
    topic: 'Matching order',
    decision:
      'external_id decides first, then barcode, sku, mpn, asin; among equals the lower id. Variants match like products. external_id itself need not be unique.',
  },
  {
    topic: 'Effect of a match',
    decision:
      'The fields that the request names, external_id among them. Variants that it names are updated or added at once, others stay.',
  },
  {
    topic: 'Blank identifiers',
    decision: 'An identifier that is blank is no identifier: it is stored as null and matches nothing.',
  },
  {
    topic: 'null',
    decision:
      'null empties any field. Text and identifiers without a value are null in answers, lists are [], objects {}.',
  },
  { topic: 'Unknown and read-only fields', decision: 'Ignored in requests.' },
  {
    topic: 'Refused keys',
    decision:
      '__proto__, constructor and prototype at any depth, NUL characters and lone surrogates, nesting over 64 levels: field error.',
  },
  {
    topic: 'Field limits',
    decision:
      'Identifiers 255 characters, brand 1000, category 2000, URLs 4096 (http or https), texts 1,000,000; tags and image order are 32-bit integers.',
  },
  {
    topic: 'Body limit',
    decision: '10 MB, otherwise 413. Broken JSON is 400 and another media type 415, each with detail.',
  },
  {
    topic: 'Nested field errors',
    decision:
      'Named by a dotted path, as in variants.0.sku; an error of the whole body is named non_field_errors.',
  },
  {
    topic: 'PUT',
    decision:
      'Empties the fields that the body omits, in the locale of the request. Variants replace the set; without variants in the body it stays.',
  },
  {
    topic: 'PATCH',
    decision:
      'variants that are named are updated or added, others stay. open_attributes and metadata are replaced whole.',
  },
  {
    topic: 'Matching of variants',
    decision:
      'Among the variants of the same product: by id, then in the matching order. Variants without an identifier match by position. Two of one request that name the same variant are refused.',
  },
  {
    topic: 'Background creation',
    decision:
      'Immediate refusals are 400. A conflict that arises until the task runs makes the task FAILURE, and nothing is kept. Matching is repeated when the task runs.',
  },
  {
    topic: 'Variants endpoint',
    decision: 'GET answers a page; POST adds a variant (201) or updates the one it matches (200).',
  },
  {
    topic: 'variants in answers',
    decision: 'In answers about one product, recursively; left out of listings.',
  },
  { topic: 'is_product_model', decision: 'True from the first variant on, and stays true.' },
  {
    topic: 'Deletion',
    decision: 'DELETE /products/{id}/ answers 204 without a body; variants go with their product.',
  },
  {
    topic: 'Locales',
    decision:
      'name, description, html_description, open_attributes and sections depend on the locale. A missing text is taken from the default locale, field by field. Another spelling of the same locale (de_at) is the same locale.',
  },
  {
    topic: 'Pages',
    decision:
      'page counts from 1; page_size is 50 by default and 500 at most (more is cut to it). A page beyond the end is empty.',
  },
  {
    topic: 'Filters',
    decision:
      'All must hold. brands ignore case and match whole names. Several tags mean any of them. Dates are days in UTC, both inclusive. The filters search and brand ignore case and look at the listed product, not at its variants. A value outside its range is a field error, an unknown parameter is ignored.',
  },
  {
    topic: 'tasks filter',
    decision:
      'none: never requested. success: the last generation succeeded. not_generated: requested, but without a result yet. That includes running and failed tasks, and those without source URLs. With order_by=task, the sort key is the time of the last generation, and products without one are last.',
  },
  {
    topic: 'Categories',
    decision:
      'Made from the category path; the UUID is version 5 of the path, so that it is the same everywhere.',
  },
  {
    topic: 'Refresh',
    decision:
      'Wants a bearer token of this service like every endpoint except login, but one that ran out will do. Answers access alone.',
  },
  {
    topic: 'Permissions',
    decision:
      'Tokens carry scopes: products, tasks, settings. All by default; a token without the scope gets 403.',
  },
  {
    topic: 'Tasks',
    decision:
      'Fields: id, task_id, kind, status, created_at, updated_at, parent_task_id, error, result, products. Statuses PENDING, STARTED, SUCCESS, FAILURE. background_task_id is the same number as task_id. The list is paginated, newest first.',
  },
  {
    topic: 'Generation',
    decision:
      'POST /products/generate/ with product_ids (1 to 1000) answers task_id of the batch. One task per product stands under it; a delivery names that of its product. The batch is FAILURE when no product succeeded.',
  },
  {
    topic: 'Generated content',
    decision:
      'Content is made by rules from the merchant’s texts, never from generated texts, and says so. It shows in name, description, html_description and sections; writing a field replaces it.',
  },
  {
    topic: 'Outcomes',
    decision:
      'Three things select the outcome. First, sandbox_outcome failed or no_urls in metadata or open_attributes. Second, a tag sandbox-failed or sandbox-no-urls. Third, [fail] or [no-urls] in the name. A product deleted meanwhile fails and is null in the delivery.',
  },
  {
    topic: 'Credits',
    decision: 'A success consumes 1, other outcomes 0. Without credits a generation fails with that reason.',
  },
  {
    topic: 'CSV upload',
    decision:
      'POST /products/upload-csv/, multipart field file or text/csv, UTF-8. Columns are field names; images, product_lists and tags_to_update are JSON or separate values with |; open_attributes, metadata, crawl_configuration and variants are JSON; open_attributes.KEY and metadata.KEY fill one key. Empty cells change nothing. Refused rows are in the result of the task.',
  },
  {
    topic: 'Webhook settings',
    decision:
      'GET without a configuration is 404. An omitted secret is null; omitted actions are answered as all three. DELETE is 204, also when there was nothing.',
  },
  {
    topic: 'Deliveries',
    decision:
      'Each attempt uses the present configuration. If it was removed, or no longer includes the event, the delivery is cancelled. A redirect is not followed and counts as neither success nor final. The next wait begins when an attempt has ended.',
  },
  {
    topic: 'Timestamp of retries',
    decision: 'All attempts of a delivery carry the timestamp of the first (restampRetries changes it).',
  },
  {
    topic: 'Never twice',
    decision:
      'A pair of product and event is notified only once, even after a permanent failure. The setting notifyAgain changes it to once per generation.',
  },
  { topic: 'HTTPS', decision: 'A proxy in front is responsible.' },
];
