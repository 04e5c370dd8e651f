import { randomUUID } from 'node:crypto';
import { CodedError, isCoded } from '../domain/errors.js';
import type { LocaleOption, ProductId, UpsertOutcome, WriteOptions } from './call-options.js';
import { DEFAULT_GENERATION_REQUEST, DEFAULT_TASK_STATUSES, TASK_FIELDS } from './assumptions.js';
import type { SessionInfo } from './auth.js';
import { acceptedTask, TaskReader, type BackgroundTask } from './background-task.js';
import type { Query } from './base-url.js';
import { DEFAULT_LIMITS, type CatalogClientOptions } from './client-options.js';
import { REQUESTS_AT_ONCE } from './requester.js';
import { Connection } from './connection.js';
import { csvBody, type CsvFile } from './csv-upload.js';
import {
  GenerationTemplate,
  readGenerationAnswer,
  type GenerationAnswer,
  type GenerationProduct,
} from './generation.js';
import { listSchema, type MalformedItem, type Page } from './pages.js';
import type { ProductBody } from './product-body.js';
import { productQuery, type ProductFilters } from './product-filters.js';
import { ignoreBody, parseShape, readAnyJson, readJson, readProduct } from './readers.js';
import {
  variantSchema,
  productSchema,
  taskRecordSchema,
  webhookConfigSchema,
  type CatalogProduct,
  type CatalogVariant,
  type WebhookConfig,
  type WebhookConfigInput,
} from './schemas.js';
import { firstId, isRecord } from '../runtime/untrusted-json.js';

const taskList = listSchema(taskRecordSchema);
const VARIANTS = '/products/{id}/variants/';

/**
 * The catalog service (docs/catalog-rules.md), one typed method per operation. Every method waits for its turn under
 * `requestsPerSecond` and throws nothing but CodedError:
 *
 * - `auth` token refused (401) or permission or subscription missing (403), distinguished by `status`
 * - `invalid` refused by validation, with the service's `fields`; `not_found`; `conflict` (409)
 * - `throttled` the service asks for a longer wait than `maxThrottleWaitMs`, with `retryAfterMs`
 * - `transient` no answer that can be used; `outcomeUnknown` when a write may have been carried out all the same
 * - `misconfigured` a redirect, a next page on another host, a request template that cannot be
 *
 * It repeats only what is harmless: reads, and calls after a renewed login or a wait that the service requests.
 */
export class CatalogClient {
  /** How many requests of one kind of work the client sends at the same time. More would only wait in it. */
  readonly requestsAtOnce: number = REQUESTS_AT_ONCE;
  private refusesPageSize = false;
  private readonly connection: Connection;
  private readonly tasks: TaskReader;
  private readonly template: GenerationTemplate;
  private readonly productList = listSchema(productSchema, this.reportOf('listProducts'));
  private readonly variantList = listSchema(variantSchema, this.reportOf('listVariants'));

  /**
   * Throws `misconfigured` for a base URL that is neither https nor loopback, for missing credentials, and for a generation
   * request that names no product.
   */
  constructor(private readonly options: CatalogClientOptions) {
    this.template = new GenerationTemplate(options.generation ?? DEFAULT_GENERATION_REQUEST);
    this.connection = new Connection(options);
    this.tasks = new TaskReader(options.tasks ?? DEFAULT_TASK_STATUSES, this.connection.redactor);
  }

  /** Ends running requests (`transient`) and closes the connections. The client cannot be used afterwards. */
  close(): void {
    this.connection.close();
  }

  /** What fails from then on says nothing about the service. */
  get isClosed(): boolean {
    return this.connection.isClosed;
  }

  /** Logs in with email and password (docs/catalog-rules.md#post-login). Throws `misconfigured` without credentials. */
  async login(): Promise<SessionInfo> {
    return this.connection.tokens.login();
  }

  /** Renews the session: by the refresh token, else by a login. docs/catalog-rules.md#post-refresh. */
  async refresh(): Promise<SessionInfo> {
    return this.connection.tokens.refresh();
  }

  /** The first page of parent and standalone products. docs/catalog-rules.md#get-products. */
  async listProducts({ pageSize, ...filters }: ProductFilters = {}): Promise<Page<CatalogProduct>> {
    if (pageSize === undefined || this.refusesPageSize) return this.productPage(this.productsUrl(filters));
    try {
      return await this.productPage(this.productsUrl({ ...filters, pageSize }));
    } catch (error) {
      if (!isCoded(error, 'invalid')) throw error;
      this.refusesPageSize = true;
      return this.productPage(this.productsUrl(filters));
    }
  }

  /** Every product that the filters select, page after page; see `walkPages`. docs/catalog-rules.md#get-products. */
  iterateProducts(filters: ProductFilters = {}): AsyncGenerator<CatalogProduct, undefined> {
    return this.connection.walk(this.productsUrl(filters), (url) => this.productPage(url));
  }

  /** The pages of these products; `first` is the first one where the caller has it already. See `walkPages`. */
  async *productPages(
    filters: ProductFilters,
    first?: Page<CatalogProduct>,
  ): AsyncGenerator<Page<CatalogProduct>, undefined> {
    const known = first ?? (await this.listProducts(filters));
    yield* this.connection.pages(this.productsUrl(filters), (url) => this.productPage(url), known);
    return undefined;
  }

  /**
   * Creates a product, or updates the one that has one of its identifiers. docs/catalog-rules.md#post-products. The
   * outcomes are distinguished by the body: one with `background_task_id` means that product and variants are created
   * in the background.
   */
  async upsertProduct(body: ProductBody, { locale, beforeSend }: WriteOptions = {}): Promise<UpsertOutcome> {
    return this.connection.ask({
      beforeSend,
      operation: 'upsertProduct',
      group: 'products',
      method: 'POST',
      path: '/products/',
      url: this.connection.url('/products/', {}, this.connection.localeQuery(locale)),
      body,
      read: (answer, unusable) => {
        const json = readAnyJson()(answer, unusable);
        const taskId = acceptedTask(json);
        if (taskId !== null) return { kind: 'background', taskId };
        return { kind: 'product', product: parseShape(productSchema, json, unusable) };
      },
    });
  }

  /** docs/catalog-rules.md#get-productsid. */
  async getProduct(id: ProductId, { locale }: LocaleOption = {}): Promise<CatalogProduct> {
    return this.connection.ask({
      operation: 'getProduct',
      ...this.oneProduct(id, 'GET', this.connection.localeQuery(locale)),
      read: readProduct,
    });
  }

  /** Replaces a product: fields that the body does not name are emptied. docs/catalog-rules.md#put-productsid. */
  async replaceProduct(id: ProductId, body: ProductBody, option: WriteOptions = {}): Promise<CatalogProduct> {
    return this.connection.ask({
      beforeSend: option.beforeSend,
      operation: 'replaceProduct',
      ...this.oneProduct(id, 'PUT', this.connection.updateQuery(option.locale)),
      body,
      read: readProduct,
    });
  }

  /** Changes only the named fields (docs/catalog-rules.md#patch-productsid). */
  async updateProduct(id: ProductId, body: ProductBody, option: WriteOptions = {}): Promise<CatalogProduct> {
    return this.connection.ask({
      beforeSend: option.beforeSend,
      operation: 'updateProduct',
      ...this.oneProduct(id, 'PATCH', this.connection.updateQuery(option.locale)),
      body,
      read: readProduct,
    });
  }

  /**
   * Deletes a product by the assumed method and path (docs/catalog-rules.md#what-is-not-documented). Throws `not_found`
   * when it does not exist.
   */
  async deleteProduct(id: ProductId, { beforeSend }: Pick<WriteOptions, 'beforeSend'> = {}): Promise<void> {
    const { method, path } = this.connection.assumptions.deleteProduct;
    await this.connection.ask({
      beforeSend,
      operation: 'deleteProduct',
      group: 'products',
      method,
      path,
      url: this.connection.url(path, { id: String(id) }),
      read: ignoreBody,
    });
  }

  /** The first page of a product's variants, or all of them as an array (docs/catalog-rules.md#variants-of-a-product). */
  async listVariants(id: ProductId): Promise<Page<CatalogVariant>> {
    return this.variantPage(this.variantsUrl(id));
  }

  /** Every variant of a product. docs/catalog-rules.md#variants-of-a-product. */
  iterateVariants(id: ProductId): AsyncGenerator<CatalogVariant, undefined> {
    return this.connection.walk(this.variantsUrl(id), (url) => this.variantPage(url));
  }

  /**
   * Uploads a CSV file of products (docs/catalog-rules.md#csv-upload-of-products). The call is assumed, with its locale.
   * The task id is undefined when the response has none. Throws `invalid` when the file cannot be read.
   */
  async uploadCsv(
    file: CsvFile,
    filename: string,
    { locale, beforeSend }: WriteOptions = {},
  ): Promise<{ readonly taskId: string | undefined }> {
    const { method, path } = this.connection.assumptions.uploadCsv;
    const boundary = (this.options.newBoundary ?? randomUUID)();
    const form = csvBody(file, filename, this.connection.assumptions.uploadCsv, boundary);
    return this.connection.ask({
      beforeSend,
      operation: 'uploadCsv',
      group: 'uploads',
      method,
      path,
      url: this.connection.url(path, {}, this.connection.localeQuery(locale)),
      ...form,
      repeat: 'once',
      timeoutMs: this.options.uploadTimeoutMs ?? DEFAULT_LIMITS.uploadTimeoutMs,
      read: (answer, unusable) => {
        const json = readAnyJson({})(answer, unusable);
        return {
          taskId: isRecord(json) ? firstId(json, TASK_FIELDS.id) : undefined,
        };
      },
    });
  }

  /** The number of products per `generate`: 1 when the configured request names a single product, otherwise Infinity. */
  get generationBatchLimit(): number {
    return this.template.batchLimit;
  }

  /** The fields of the request that name the products. */
  get generationProductFields(): ReadonlySet<string> {
    return this.template.productFields;
  }

  /**
   * Requests generation for products in one request, as configured (docs/catalog-rules.md#generation). It costs
   * credits, so do not repeat it at once after an error with `outcomeUnknown`. A response without task ids is not a
   * failure. Throws `invalid` for no products, or for more than `generationBatchLimit`, before anything is sent.
   */
  async generate(
    products: readonly GenerationProduct[],
    { beforeSend }: Pick<WriteOptions, 'beforeSend'> = {},
  ): Promise<GenerationAnswer> {
    const { template } = this;
    if (products.length === 0 || products.length > template.batchLimit) {
      throw new CodedError(
        'invalid',
        `one generation request takes 1 to ${String(template.batchLimit)} products, not ${String(products.length)}`,
      );
    }
    return this.connection.ask({
      beforeSend,
      operation: 'generate',
      group: 'generation',
      method: template.method,
      path: template.path,
      url: this.connection.url(template.filledPath(products)),
      body: template.filledBody(products),
      repeat: 'once',
      read: (answer, unusable) => readGenerationAnswer(readAnyJson({})(answer, unusable), products),
    });
  }

  /** The first page of background tasks. docs/catalog-rules.md#background-tasks. */
  async listBackgroundTasks(): Promise<Page<BackgroundTask>> {
    return this.taskPage(this.connection.url('/background-tasks/'));
  }

  /** Every background task. docs/catalog-rules.md#background-tasks. */
  iterateBackgroundTasks(): AsyncGenerator<BackgroundTask, undefined> {
    return this.connection.walk(this.connection.url('/background-tasks/'), (url) => this.taskPage(url));
  }

  /** One background task (docs/catalog-rules.md#background-tasks). A status that is not configured means running. */
  async getBackgroundTask(taskId: string): Promise<BackgroundTask> {
    const path = '/background-tasks/{task_id}/';
    const record = await this.connection.ask({
      operation: 'getBackgroundTask',
      group: 'tasks',
      method: 'GET',
      path,
      url: this.connection.url(path, { task_id: taskId }),
      read: readJson(taskRecordSchema),
    });
    return this.tasks.read(record, taskId);
  }

  /** The result of one product in a task of several; null where the task has only one result. Sends no request. */
  taskOfProduct(task: BackgroundTask, product: { id: string; externalId: string }): BackgroundTask | null {
    return this.tasks.readProduct(task, product);
  }

  /** The workspace's webhook configuration of any owner, or null (docs/catalog-rules.md#settingswebhooks). It has a secret. */
  async getWebhookSettings(): Promise<WebhookConfig | null> {
    try {
      const settings = await this.connection.ask({
        ...this.webhookSettings('getWebhookSettings', 'GET'),
        read: (answer, unusable) => {
          const json = readAnyJson(null)(answer, unusable);
          const none = json === null || (isRecord(json) && (json['url'] ?? '') === '');
          return none ? null : parseShape(webhookConfigSchema, json, unusable);
        },
      });
      this.connection.redactor.add(settings?.hmac_secret);
      return settings;
    } catch (error) {
      if (isCoded(error, 'not_found')) return null;
      throw error;
    }
  }

  /** Replaces the workspace's one configuration of any owner (docs/catalog-rules.md#settingswebhooks). Contains a secret. */
  async putWebhookSettings(config: WebhookConfigInput): Promise<WebhookConfig> {
    this.connection.redactor.add(config.hmac_secret);
    return this.connection.ask({
      ...this.webhookSettings('putWebhookSettings', 'POST'),
      body: config,
      read: readJson(webhookConfigSchema),
    });
  }

  /** Removes the configuration. A missing one counts as removed (docs/catalog-rules.md#settingswebhooks). */
  async deleteWebhookSettings(): Promise<void> {
    try {
      await this.connection.ask({
        ...this.webhookSettings('deleteWebhookSettings', 'DELETE'),
        read: ignoreBody,
      });
    } catch (error) {
      if (!isCoded(error, 'not_found')) throw error;
    }
  }

  private async productPage(url: URL): Promise<Page<CatalogProduct>> {
    return this.connection.ask({
      operation: 'listProducts',
      group: 'products',
      method: 'GET',
      path: '/products/',
      url,
      read: readJson(this.productList),
    });
  }

  private async variantPage(url: URL): Promise<Page<CatalogVariant>> {
    return this.connection.ask({
      operation: 'listVariants',
      group: 'products',
      method: 'GET',
      path: VARIANTS,
      url,
      read: readJson(this.variantList),
    });
  }

  /** Reports what a list leaves out because it is malformed. */
  private reportOf(operation: string): (item: MalformedItem) => void {
    return (item) => this.options.onMalformed?.({ operation, ...item });
  }

  private async taskPage(url: URL): Promise<Page<BackgroundTask>> {
    const page = await this.connection.ask({
      operation: 'listBackgroundTasks',
      group: 'tasks',
      method: 'GET',
      path: '/background-tasks/',
      url,
      read: readJson(taskList),
    });
    return { ...page, results: page.results.map((record) => this.tasks.read(record)) };
  }

  private productsUrl(filters: ProductFilters): URL {
    return this.connection.url('/products/', {}, productQuery(filters, this.options.locale));
  }

  private variantsUrl(id: ProductId): URL {
    return this.connection.url(VARIANTS, { id: String(id) });
  }

  private oneProduct(id: ProductId, method: string, query: Query) {
    const path = '/products/{id}/';
    return {
      group: 'products',
      method,
      path,
      url: this.connection.url(path, { id: String(id) }, query),
    } as const;
  }

  private webhookSettings(operation: string, method: string) {
    const path = '/settings/webhooks/';
    const url = this.connection.url(path);
    return { operation, group: 'settings', method, path, url, confidential: true } as const;
  }
}
