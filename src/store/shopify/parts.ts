import { setTimeout as delay } from 'node:timers/promises';
import { shopIdentity } from '../../domain/external-id.js';
import { tokenSource } from './auth.js';
import { BulkExport } from './bulk-export.js';
import { ShopifyClient } from './client.js';
import { MetafieldDefinitions } from './definitions.js';
import { ProductDetails } from './details.js';
import { requireApiVersion, resolveEndpoint } from './endpoint.js';
import { SHOPIFY } from './kind.js';
import { LiveReader } from './live-reader.js';
import { DEFAULT_LIMITS, type ShopifyOptions, type Sleep } from './options.js';
import { PartsWriter } from './parts-writer.js';
import { PageReader } from './reader.js';
import { SourceLocales } from './source-locales.js';
import { Taxonomy } from './taxonomy.js';
import { ProductTranslations } from './translations.js';
import { ProductWriter } from './writer.js';

/** The parts of a connector: the calls of the Admin API by subject, all within the limits of one store. */
export interface ShopifyParts {
  /** Where the store is. */
  readonly base: URL;
  readonly client: ShopifyClient;
  readonly exports: BulkExport;
  readonly pages: PageReader;
  readonly details: ProductDetails;
  readonly live: LiveReader;
  readonly writer: ProductWriter;
  readonly tagsAndAlts: PartsWriter;
  readonly translations: ProductTranslations;
  readonly definitions: MetafieldDefinitions;
  readonly taxonomy: Taxonomy;
  readonly sleep: Sleep;
}

/** Throws `misconfigured` for an unusable shop, endpoint, version or credentials. Sends no request. */
export function shopifyParts(options: ShopifyOptions): ShopifyParts {
  const base = resolveEndpoint(options.shop, options.endpoint);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { sleep = sleepQuietly, random = Math.random, variantMetafields = [] } = options;
  const clock = options.clock ?? ((): Date => new Date());
  const now = (): number => clock().getTime();
  const client = new ShopifyClient({
    shop: options.shop,
    base,
    apiVersion: requireApiVersion(options.apiVersion),
    tokens: tokenSource(options.auth, base, now, limits.requestTimeoutMs),
    limits,
    now,
    sleep,
    random,
    onBudget: options.onBudget,
    onRequest: options.onRequest,
  });
  const scope = {
    identity: shopIdentity(SHOPIFY, options.shop),
    variantMetafields,
    locales: options.locales ?? [],
  };
  const locales = new SourceLocales(client, scope.locales, now, options.metafieldLocales);
  const details = new ProductDetails(client, scope, limits, locales);
  const live = new LiveReader(client);
  const taxonomy = new Taxonomy(client, now);
  const file = {
    scope,
    spillDir: options.spillDir,
    batchSize: limits.exportBatchSize,
    mostBytes: limits.exportBytes,
    partBytes: limits.exportPartBytes,
    allowHttp: base.protocol === 'http:',
    attempts: limits.attempts,
    timeoutMs: limits.requestTimeoutMs,
    sleep,
    random,
  };
  return {
    base,
    client,
    exports: new BulkExport({
      client,
      locales,
      file,
      now,
      log: options.log,
    }),
    pages: new PageReader(client, details, limits),
    details,
    live,
    writer: new ProductWriter(client, live, taxonomy),
    tagsAndAlts: new PartsWriter(client),
    translations: new ProductTranslations(client),
    definitions: new MetafieldDefinitions(client, now),
    taxonomy,
    sleep,
  };
}

async function sleepQuietly(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    // An aborted signal ends the wait early, which is its purpose.
    if (signal?.aborted !== true) throw error;
  }
}
