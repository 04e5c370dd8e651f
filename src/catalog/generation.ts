import { CodedError } from '../domain/errors.js';
import type { GenerationRequest } from './assumptions.js';
import { encodeSegment } from './base-url.js';
import { firstId, idOf, isRecord } from '../runtime/untrusted-json.js';

/** A product to generate, by both of its ids. */
export interface GenerationProduct {
  readonly id: number;
  readonly externalId: string;
}

export interface GenerationAnswer {
  /** The task of the whole request, if the service returned one. */
  readonly taskId?: string;
  /** Catalog product id to task id, for those that the service listed. */
  readonly taskIdByProduct: ReadonlyMap<number, string>;
}

const PLACEHOLDER = /\{(product_ids|external_ids|product_id|external_id)\}/g;
type Placeholder = 'product_ids' | 'external_ids' | 'product_id' | 'external_id';

/**
 * The configured request template of generation (docs/catalog-rules.md#generation; method, path and body are
 * undocumented). A value that is exactly `{product_ids}` or `{external_ids}` becomes the array. `{product_id}` and
 * `{external_id}` are one product, so a request then has one. Inside a longer text, and in the path, ids are joined
 * by commas.
 */
export class GenerationTemplate {
  /** The number of products per request: 1 or Infinity. */
  readonly batchLimit: number;

  /** Throws `misconfigured` when the template names no product, because it would request all or none. */
  constructor(private readonly request: GenerationRequest) {
    const used = `${request.path} ${JSON.stringify(request.body ?? null)}`.match(PLACEHOLDER) ?? [];
    if (used.length === 0) {
      throw new CodedError(
        'misconfigured',
        'generation.request names no product: use {product_ids}, {external_ids}, {product_id} or {external_id} in its path or body',
      );
    }
    const single = used.some(
      (placeholder) => placeholder === '{product_id}' || placeholder === '{external_id}',
    );
    this.batchLimit = single ? 1 : Number.POSITIVE_INFINITY;
  }

  /** The fields of the body that name products. */
  get productFields(): ReadonlySet<string> {
    const { body } = this.request;
    const entries = isRecord(body) ? Object.entries(body) : [];
    return new Set(
      entries.filter(([, value]) => JSON.stringify(value).search(PLACEHOLDER) >= 0).map(([field]) => field),
    );
  }

  get method(): string {
    return this.request.method;
  }

  /** The path with its placeholders, for metrics. */
  get path(): string {
    return this.request.path;
  }

  filledPath(products: readonly GenerationProduct[]): string {
    return this.request.path.replaceAll(PLACEHOLDER, (_whole, name: Placeholder) =>
      valuesOf(name, products)
        .map((value) => encodeSegment(String(value)))
        .join(','),
    );
  }

  /** Undefined, for a request without a body, when the configuration names none or null. */
  filledBody(products: readonly GenerationProduct[]): unknown {
    return fill(this.request.body ?? undefined, products);
  }
}

function fill(template: unknown, products: readonly GenerationProduct[]): unknown {
  if (typeof template === 'string') return fillText(template, products);
  if (Array.isArray(template)) return template.map((item) => fill(item, products));
  if (!isRecord(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, products)]));
}

function fillText(template: string, products: readonly GenerationProduct[]): unknown {
  switch (template) {
    case '{product_ids}':
      return products.map(({ id }) => id);
    case '{external_ids}':
      return products.map(({ externalId }) => externalId);
    case '{product_id}':
      return products[0]?.id;
    default:
      return template.replaceAll(PLACEHOLDER, (_whole, name: Placeholder) =>
        valuesOf(name, products).join(','),
      );
  }
}

function valuesOf(name: Placeholder, products: readonly GenerationProduct[]): (number | string)[] {
  return products.map(({ id, externalId }) => (name.startsWith('product') ? id : externalId));
}

const TASK_FIELDS = ['task_id', 'background_task_id'] as const;
const PRODUCT_FIELDS = ['product_id', 'product', 'external_id', 'product_external_id'] as const;
const LIST_FIELDS = ['tasks', 'results', 'products', 'items', 'task_ids'] as const;

/**
 * Task ids from a response with an undocumented shape: one for the request (`task_id`, `background_task_id`, `id`), a
 * list of pairs, or a map of product to task. Unreadable parts are ignored: the request was accepted, and polling and
 * deliveries find the tasks. Never throws.
 */
export function readGenerationAnswer(
  answer: unknown,
  products: readonly GenerationProduct[],
): GenerationAnswer {
  const byProduct = new Map<number, string>();
  readTasks(answer, products, byProduct);
  const lists = isRecord(answer) ? LIST_FIELDS.map((field) => answer[field]) : [];
  for (const list of lists) readTasks(list, products, byProduct);
  const taskId = requestTask(answer, products);
  return { ...(taskId === undefined ? {} : { taskId }), taskIdByProduct: byProduct };
}

function requestTask(answer: unknown, products: readonly GenerationProduct[]): string | undefined {
  if (!isRecord(answer)) return undefined;
  const named = firstId(answer, TASK_FIELDS);
  if (named !== undefined) return named;
  // If the response is the product itself, its id is the product's id and not a task's.
  const id = idOf(answer['id']);
  return id === undefined || productOf(id, products) !== undefined ? undefined : id;
}

function readTasks(value: unknown, products: readonly GenerationProduct[], found: Map<number, string>): void {
  if (Array.isArray(value)) {
    for (const entry of value as unknown[]) readEntry(entry, products, found);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, entry] of Object.entries(value)) {
    const product = productOf(key, products);
    const task = isRecord(entry) ? firstId(entry, [...TASK_FIELDS, 'id']) : idOf(entry);
    if (product !== undefined && task !== undefined) found.set(product.id, task);
  }
}

function readEntry(entry: unknown, products: readonly GenerationProduct[], found: Map<number, string>): void {
  const only = products.length === 1 ? products[0] : undefined;
  if (!isRecord(entry)) {
    // An id without a product is only useful when there is one product.
    const task = idOf(entry);
    if (only !== undefined && task !== undefined && productOf(task, products) === undefined)
      found.set(only.id, task);
    return;
  }
  const named = firstId(entry, TASK_FIELDS);
  const product =
    productNamed(entry, products) ??
    (named === undefined ? only : (productOf(idOf(entry['id']), products) ?? only));
  const task = named ?? idOf(entry['id']);
  if (product !== undefined && task !== undefined) found.set(product.id, task);
}

function productNamed(entry: Readonly<Record<string, unknown>>, products: readonly GenerationProduct[]) {
  for (const field of PRODUCT_FIELDS) {
    const value = entry[field];
    const id = isRecord(value) ? idOf(value['id']) : idOf(value);
    const product = productOf(id, products);
    if (product !== undefined) return product;
  }
  return undefined;
}

function productOf(
  id: string | undefined,
  products: readonly GenerationProduct[],
): GenerationProduct | undefined {
  if (id === undefined) return undefined;
  return products.find((product) => String(product.id) === id || product.externalId === id);
}
