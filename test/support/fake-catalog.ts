import type { LocaleOption, ProductId, UpsertOutcome, WriteOptions } from '../../src/catalog/call-options.js';
import { CatalogClient } from '../../src/catalog/client.js';
import type { BackgroundTask } from '../../src/catalog/background-task.js';
import type { GenerationAnswer, GenerationProduct } from '../../src/catalog/generation.js';
import type { Page } from '../../src/catalog/pages.js';
import type { ProductBody } from '../../src/catalog/product-body.js';
import type { ProductFilters } from '../../src/catalog/product-filters.js';
import {
  productSchema,
  type CatalogProduct,
  type CatalogVariant,
  type WebhookConfig,
  type WebhookConfigInput,
} from '../../src/catalog/schemas.js';
import { IDENTIFIER_KINDS } from '../../src/domain/catalog-product.js';
import { CodedError, type CodedErrorDetails, type ErrorCode } from '../../src/domain/errors.js';
import { CallScript } from './call-script.js';

export type CatalogOperation =
  | 'listProducts'
  | 'iterateProducts'
  | 'iterateVariants'
  | 'upsertProduct'
  | 'getProduct'
  | 'updateProduct'
  | 'deleteProduct'
  | 'generate'
  | 'getBackgroundTask'
  | 'iterateBackgroundTasks'
  | 'getWebhookSettings'
  | 'putWebhookSettings'
  | 'deleteWebhookSettings';

/** An error as the client throws it, for a script to throw. */
export function refusal(code: ErrorCode, details: CodedErrorDetails = {}): () => never {
  return () => {
    throw new CodedError(code, `the catalog says ${code}`, details);
  };
}

interface CreationTask {
  readonly body: ProductBody;
  /** Polls that still find it running. */
  polls: number;
  readonly failure: string | null;
}

const NO_CONNECTION = {
  baseUrl: 'http://127.0.0.1:9/api/v1',
  auth: { apiToken: 'unused' },
  requestsPerSecond: 1000,
};

/** The catalog service in memory behind the client's own face; nothing is sent anywhere. */
export class FakeCatalog extends CatalogClient {
  override requestsAtOnce = 8;
  readonly script = new CallScript<CatalogOperation>();
  readonly products = new Map<number, CatalogProduct>();
  readonly taskRecords = new Map<string, BackgroundTask>();
  /** The texts of any product in another language. All other fields are as in the default language. */
  readonly translated = new Map<string, Partial<CatalogProduct>>();
  readonly creations = new Map<string, CreationTask>();
  /** A product with variants is created in the background, and these many polls find it running. */
  background: { readonly polls: number; readonly failure?: string } | null = null;
  /** The listing shows products oldest first whatever it is asked; these pages at a time. */
  pageSize = 100;
  listsVariants = false;
  /** How many more products the listing counts than it shows, as one does that changes while it is read. */
  countsToo = 0;
  /** Hidden from search and listing, as a product is whose index lags. */
  readonly hidden = new Set<string>();
  /** One task for a whole request, one for each product, or an answer that names none. */
  taskIds: 'shared' | 'each' | 'none' = 'each';
  batchLimit = Number.POSITIVE_INFINITY;
  webhook: WebhookConfig | null = null;
  #lastId = 100;
  #lastTask = 0;

  constructor() {
    super(NO_CONNECTION);
  }

  /** Puts a product there without a call. */
  hold(fields: Readonly<Record<string, unknown>>): CatalogProduct {
    this.#lastId += 1;
    const product = productSchema.parse({ id: this.#lastId, sections: [], ...fields });
    this.products.set(product.id, product);
    return product;
  }

  change(id: number, fields: Readonly<Record<string, unknown>>): CatalogProduct {
    const product = productSchema.parse({ ...this.products.get(id), ...fields });
    this.products.set(id, product);
    return product;
  }

  of(externalId: string): CatalogProduct | undefined {
    return [...this.products.values()].find((product) => product.external_id === externalId);
  }

  /** Products with the external_id. More than one means that a product was created twice. */
  countOf(externalId: string): number {
    return [...this.products.values()].filter((product) => product.external_id === externalId).length;
  }

  override get generationBatchLimit(): number {
    return this.batchLimit;
  }

  override async listProducts(filters: ProductFilters = {}): Promise<Page<CatalogProduct>> {
    return this.script.run('listProducts', [filters], () => this.#page(filters, 0));
  }

  override async *productPages(
    filters: ProductFilters = {},
    first?: Page<CatalogProduct>,
  ): AsyncGenerator<Page<CatalogProduct>, undefined> {
    let page = first ?? (await this.listProducts(filters));
    yield page;
    while (page.next !== null) {
      const from = Number(new URL(page.next).searchParams.get('from'));
      page = await this.script.run('listProducts', [filters, from], () => this.#page(filters, from));
      yield page;
    }
    return undefined;
  }

  #page(filters: ProductFilters, from: number): Page<CatalogProduct> {
    const all = this.#select(filters);
    const to = from + this.pageSize;
    return {
      results: all.slice(from, to),
      next: all.length > to ? `http://127.0.0.1:9/api/v1/products/?from=${String(to)}` : null,
      previous: null,
      count: all.length + this.countsToo,
    };
  }

  override async *iterateProducts(filters: ProductFilters = {}): AsyncGenerator<CatalogProduct, undefined> {
    yield* await this.script.run('iterateProducts', [filters], () => this.#select(filters));
    return undefined;
  }

  #select(filters: ProductFilters): CatalogProduct[] {
    const shown = [...this.products.values()].filter(
      (product) => !this.hidden.has(product.external_id ?? ''),
    );
    const { search } = filters;
    const found =
      search === undefined
        ? shown
        : shown.filter((product) =>
            [product, ...(product.variants ?? [])].some((each) =>
              [...IDENTIFIER_KINDS.map((kind) => each[kind]), each.name].some(
                (value) => value?.includes(search) === true,
              ),
            ),
          );
    const { locale } = filters;
    const texts = locale === undefined ? {} : this.translated.get(locale);
    const listed = found.map((product) => ({ ...this.#answered(product), ...texts }));
    return filters.sorting === 'asc' ? listed : listed.reverse();
  }

  /** Answers omit variants by default, because they have their own path. */
  #answered(product: CatalogProduct): CatalogProduct {
    if (this.listsVariants) return product;
    const { variants, ...rest } = product;
    return { ...rest, is_product_model: (variants ?? []).length > 0 };
  }

  override async *iterateVariants(id: ProductId): AsyncGenerator<CatalogVariant, undefined> {
    yield* await this.script.run('iterateVariants', [id], () => this.#at(id).variants ?? []);
    return undefined;
  }

  override async getProduct(id: ProductId, { locale }: LocaleOption = {}): Promise<CatalogProduct> {
    return this.script.run('getProduct', locale == null ? [id] : [id, locale], () => {
      const product = this.#answered(this.#at(id));
      return { ...product, ...(locale == null ? {} : this.translated.get(locale)) };
    });
  }

  override async upsertProduct(body: ProductBody, { beforeSend }: WriteOptions = {}): Promise<UpsertOutcome> {
    beforeSend?.();
    return this.script.run('upsertProduct', [body], (): UpsertOutcome => {
      const match = this.#match(body);
      if (match) return { kind: 'product', product: this.#answered(this.#write(match.id, body)) };
      if (this.background === null || (body.variants ?? []).length === 0)
        return { kind: 'product', product: this.#answered(this.#write(null, body)) };
      const taskId = this.#newTaskId();
      const { polls, failure } = this.background;
      this.creations.set(taskId, { body, polls, failure: failure ?? null });
      return { kind: 'background', taskId };
    });
  }

  override async updateProduct(
    id: ProductId,
    body: ProductBody,
    { beforeSend }: WriteOptions = {},
  ): Promise<CatalogProduct> {
    beforeSend?.();
    return this.script.run('updateProduct', [id, body], () => {
      const { id: known } = this.#at(id);
      this.#refuseTaken(known, body);
      return this.#answered(this.#write(known, body));
    });
  }

  override async deleteProduct(
    id: ProductId,
    { beforeSend }: Pick<WriteOptions, 'beforeSend'> = {},
  ): Promise<void> {
    beforeSend?.();
    return this.script.run('deleteProduct', [id], () => {
      this.products.delete(this.#at(id).id);
    });
  }

  #at(id: ProductId): CatalogProduct {
    const product = this.products.get(Number(id));
    if (!product) throw new CodedError('not_found', 'Not found.', { status: 404 });
    return product;
  }

  #match(body: ProductBody): CatalogProduct | undefined {
    const keys = [...IDENTIFIER_KINDS, 'external_id'] as const;
    return [...this.products.values()].find((product) =>
      keys.some((key) => (body[key] ?? '') !== '' && product[key] === body[key]),
    );
  }

  #refuseTaken(id: number, body: ProductBody): void {
    for (const kind of IDENTIFIER_KINDS) {
      const taken = [...this.products.values()].some(
        (product) => product.id !== id && (body[kind] ?? '') !== '' && product[kind] === body[kind],
      );
      if (taken)
        throw new CodedError('invalid', 'the catalog answered 400', {
          status: 400,
          fields: { [kind]: [`product with this ${kind} already exists.`] },
        });
    }
  }

  #write(id: number | null, body: ProductBody): CatalogProduct {
    const variants = body.variants?.map((each) => ({ ...each, id: (this.#lastId += 1) }));
    const fields = { ...body, ...(variants === undefined ? {} : { variants }) };
    return id === null ? this.hold(fields) : this.change(id, fields);
  }

  #newTaskId(): string {
    this.#lastTask += 1;
    return `task-${String(this.#lastTask)}`;
  }

  override async generate(
    products: readonly GenerationProduct[],
    { beforeSend }: Pick<WriteOptions, 'beforeSend'> = {},
  ): Promise<GenerationAnswer> {
    beforeSend?.();
    return this.script.run('generate', [products], (): GenerationAnswer => {
      if (this.taskIds === 'none') return { taskIdByProduct: new Map() };
      if (this.taskIds === 'shared') return { taskId: this.#openTask(), taskIdByProduct: new Map() };
      return { taskIdByProduct: new Map(products.map((product) => [product.id, this.#openTask()])) };
    });
  }

  #openTask(): string {
    const id = this.#newTaskId();
    this.settleTask(id, 'running');
    return id;
  }

  settleTask(id: string, state: BackgroundTask['state'], reason?: string): void {
    const status = { succeeded: 'SUCCESS', failed: 'FAILURE', running: 'STARTED' }[state];
    this.taskRecords.set(id, { id, status, state, raw: {}, ...(reason === undefined ? {} : { reason }) });
  }

  override async getBackgroundTask(taskId: string): Promise<BackgroundTask> {
    return this.script.run('getBackgroundTask', [taskId], () => {
      const creation = this.creations.get(taskId);
      if (creation) this.#advance(taskId, creation);
      const task = this.taskRecords.get(taskId);
      if (!task) throw new CodedError('not_found', 'Not found.', { status: 404 });
      return task;
    });
  }

  override async *iterateBackgroundTasks(): AsyncGenerator<BackgroundTask, undefined> {
    yield* await this.script.run('iterateBackgroundTasks', [], () => {
      for (const [taskId, creation] of this.creations) this.#advance(taskId, creation);
      return [...this.taskRecords.values()].reverse();
    });
    return undefined;
  }

  #advance(taskId: string, creation: CreationTask): void {
    this.settleTask(taskId, 'running');
    if (creation.polls > 0) {
      creation.polls -= 1;
      return;
    }
    if (creation.failure !== null) this.settleTask(taskId, 'failed', creation.failure);
    else this.finishCreation(taskId);
  }

  /** The background work ends well, whether or not anybody asks. */
  finishCreation(taskId: string): void {
    const creation = this.creations.get(taskId);
    if (!creation) throw new Error(`no creation ${taskId}`);
    this.creations.delete(taskId);
    this.#write(null, creation.body);
    this.settleTask(taskId, 'succeeded');
  }

  override async getWebhookSettings(): Promise<WebhookConfig | null> {
    return this.script.run('getWebhookSettings', [], () => this.webhook);
  }

  override async putWebhookSettings(config: WebhookConfigInput): Promise<WebhookConfig> {
    return this.script.run('putWebhookSettings', [config], () => (this.webhook = { ...config }));
  }

  override async deleteWebhookSettings(): Promise<void> {
    return this.script.run('deleteWebhookSettings', [], () => {
      this.webhook = null;
    });
  }
}
