import { setTimeout as delay } from 'node:timers/promises';
import type { MetafieldKey } from '../../domain/metafield-key.js';
import type {
  DefinitionOutcome,
  MetafieldDefinition,
  MetafieldOwner,
  NewMetafieldDefinition,
} from '../../domain/metafield-definition.js';
import type {
  SourceProduct,
  StoreCategory,
  StoreField,
  StoreProbe,
  StoreWriteOptions,
} from '../../domain/store-port.js';
import type {
  CompletedExport,
  ExportState,
  ImageAltOutcome,
  ImageAltWrite,
  LiveParts,
  LiveContentParts,
  LiveTranslations,
  MetafieldOutcome,
  MetafieldWrite,
  PageSelection,
  ReadScope,
  TranslationOutcome,
  TranslationWrite,
} from './api-types.js';
import { shopIdentity } from '../../domain/external-id.js';
import { tokenSource } from './auth.js';
import { SHOPIFY } from './kind.js';
import { BulkExport } from './bulk-export.js';
import { probeStore } from './checks.js';
import { ShopifyClient } from './client.js';
import { MetafieldDefinitions } from './definitions.js';
import { ProductDetails } from './details.js';
import { requireApiVersion, resolveEndpoint } from './endpoint.js';
import { type ExportFileSettings, readExportFile } from './export-file.js';
import { DEFAULT_LIMITS, type ShopifyLimits, type ShopifyOptions, type Sleep } from './options.js';
import { PartsWriter } from './parts-writer.js';
import { LiveReader } from './live-reader.js';
import { PageReader } from './reader.js';
import { SourceLocales } from './source-locales.js';
import { ensureSubscriptions, removeSubscriptions } from './subscriptions.js';
import { Taxonomy } from './taxonomy.js';
import { ProductTranslations } from './translations.js';
import { ProductWriter } from './writer.js';

/** The host of the images of all stores. */
export const IMAGE_ORIGIN = 'https://cdn.shopify.com';

/** The calls of the Admin API that the connector is made of, each within the store's limits. */
export class ShopifyApi {
  readonly imageOrigins: readonly string[];
  private readonly client: ShopifyClient;
  private readonly bulk: BulkExport;
  private readonly details: ProductDetails;
  private readonly reader: PageReader;
  private readonly liveReader: LiveReader;
  private readonly taxonomy: Taxonomy;
  private readonly writer: ProductWriter;
  private readonly parts: PartsWriter;
  private readonly definitions: MetafieldDefinitions;
  private readonly translations: ProductTranslations;
  private readonly base: URL;
  private readonly scope: ReadScope;
  private readonly locales: SourceLocales;
  private readonly limits: ShopifyLimits;
  readonly sleep: Sleep;
  private readonly random: () => number;

  /** Throws `misconfigured` for an unusable shop, endpoint, version or credentials. Sends no request. */
  constructor(private readonly options: ShopifyOptions) {
    this.base = resolveEndpoint(options.shop, options.endpoint);
    this.imageOrigins = options.endpoint ? [IMAGE_ORIGIN, this.base.origin] : [IMAGE_ORIGIN];
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.sleep = options.sleep ?? sleepQuietly;
    this.random = options.random ?? Math.random;
    const clock = options.clock ?? ((): Date => new Date());
    const now = (): number => clock().getTime();
    this.client = new ShopifyClient({
      shop: options.shop,
      base: this.base,
      apiVersion: requireApiVersion(options.apiVersion),
      tokens: tokenSource(options.auth, this.base, now, this.limits.requestTimeoutMs),
      limits: this.limits,
      now,
      sleep: this.sleep,
      random: this.random,
      onCost: options.onCost,
      onRequest: options.onRequest,
    });
    const variantMetafields = options.variantMetafields ?? [];
    this.scope = {
      identity: shopIdentity(SHOPIFY, options.shop),
      variantMetafields,
      locales: options.locales ?? [],
    };
    this.locales = new SourceLocales(this.client, this.scope.locales, now, options.metafieldLocales);
    this.details = new ProductDetails(this.client, this.scope, this.limits, this.locales);
    this.reader = new PageReader(this.client, this.details, this.limits);
    this.taxonomy = new Taxonomy(this.client, now);
    this.liveReader = new LiveReader(this.client);
    this.writer = new ProductWriter(this.client, this.liveReader, this.taxonomy);
    this.parts = new PartsWriter(this.client);
    this.definitions = new MetafieldDefinitions(this.client, now);
    this.translations = new ProductTranslations(this.client);
    this.bulk = new BulkExport({
      client: this.client,
      sleep: this.sleep,
      slotWaitMs: this.limits.bulkSlotWaitMs,
      variantMetafields,
      log: options.log,
    });
  }

  /** One request. */
  probe(): Promise<StoreProbe> {
    const { shop, apiVersion, requiredScopes = [], locales = [], definitions = {} } = this.options;
    const settings = { shop, apiVersion, requiredScopes, locales, definitions };
    return probeStore(this.client, this.definitions, settings);
  }

  async startExport(query: string): Promise<string | null> {
    const locales = await this.locales.readable();
    return this.bulk.start(query, locales, await this.locales.readableOfMetafields());
  }

  pollExport(handle: string): Promise<ExportState> {
    return this.bulk.poll(handle);
  }

  cancelExport(handle: string): Promise<void> {
    return this.bulk.cancel(handle);
  }

  readExport(completed: CompletedExport, signal?: AbortSignal): AsyncIterable<readonly SourceProduct[]> {
    const settings: ExportFileSettings = {
      scope: this.scope,
      spillDir: this.options.spillDir,
      batchSize: this.limits.exportBatchSize,
      mostBytes: this.limits.exportBytes,
      partBytes: this.limits.exportPartBytes,
      allowHttp: this.base.protocol === 'http:',
      attempts: this.limits.attempts,
      timeoutMs: this.limits.requestTimeoutMs,
      sleep: this.sleep,
      random: this.random,
      freshUrl: () => this.bulk.freshUrl(completed.handle),
    };
    return readExportFile(completed, settings, signal);
  }

  readPages(selection: PageSelection): AsyncIterable<readonly SourceProduct[]> {
    return this.reader.products(selection);
  }

  countProducts(query: string): Promise<number | null> {
    return this.reader.count(query);
  }

  readProducts(storeIds: readonly string[]): Promise<readonly (SourceProduct | null)[]> {
    return this.details.read(storeIds);
  }

  readLive(
    storeId: string,
    metafieldNamespace: string | null,
    parts?: LiveParts,
  ): Promise<LiveContentParts | null> {
    return this.liveReader.read(storeId, metafieldNamespace, parts);
  }

  writeFields(
    storeId: string,
    fields: Readonly<Partial<Record<StoreField, string>>>,
    options?: StoreWriteOptions,
  ): Promise<Partial<Record<StoreField, string | null>>> {
    return this.writer.fields(storeId, fields, options);
  }

  writeMetafields(
    storeId: string,
    metafields: readonly MetafieldWrite[],
    options?: StoreWriteOptions,
  ): Promise<readonly MetafieldOutcome[]> {
    return this.writer.metafields(storeId, metafields, options);
  }

  addTags(storeId: string, tags: readonly string[], options?: StoreWriteOptions): Promise<readonly string[]> {
    return this.parts.addTags(storeId, tags, options);
  }

  removeTags(storeId: string, tags: readonly string[], options?: StoreWriteOptions): Promise<void> {
    return this.parts.removeTags(storeId, tags, options);
  }

  writeImageAlts(
    writes: readonly ImageAltWrite[],
    options?: StoreWriteOptions,
  ): Promise<readonly ImageAltOutcome[]> {
    return this.parts.imageAlts(writes, options);
  }

  findCategories(text: string): Promise<readonly StoreCategory[]> {
    return this.taxonomy.find(text);
  }

  readDefinitions(
    names: readonly string[],
    owner: MetafieldOwner,
  ): Promise<ReadonlyMap<string, MetafieldDefinition>> {
    return this.definitions.read(names, owner);
  }

  createDefinition(
    definition: NewMetafieldDefinition,
    options?: StoreWriteOptions,
  ): Promise<DefinitionOutcome> {
    return this.definitions.create(definition, options);
  }

  removeMetafields(
    storeId: string,
    metafields: readonly MetafieldKey[],
    options?: StoreWriteOptions,
  ): Promise<void> {
    return this.writer.removeMetafields(storeId, metafields, options);
  }

  readTranslations(
    storeId: string,
    locale: string,
    targets: readonly string[],
  ): Promise<LiveTranslations | null> {
    return this.translations.live(storeId, locale, targets);
  }

  writeTranslations(
    storeId: string,
    locale: string,
    writes: readonly TranslationWrite[],
    options?: StoreWriteOptions,
  ): Promise<readonly TranslationOutcome[]> {
    return this.translations.write(storeId, locale, writes, options);
  }

  removeTranslations(
    storeId: string,
    locale: string,
    targets: readonly string[],
    options?: StoreWriteOptions,
  ): Promise<void> {
    return this.translations.remove(storeId, locale, targets, options);
  }

  ensureSubscriptions(uri: string): Promise<void> {
    return ensureSubscriptions(this.client, uri);
  }

  removeSubscriptions(uri: string): Promise<void> {
    return removeSubscriptions(this.client, uri);
  }

  close(): Promise<void> {
    this.client.close();
    return Promise.resolve();
  }
}

async function sleepQuietly(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    // An aborted signal ends the wait early, which is its purpose.
    if (signal?.aborted !== true) throw error;
  }
}
