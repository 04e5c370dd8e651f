import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CatalogClient } from '../../src/catalog/client.js';
import {
  startCatalogSandbox,
  type CatalogSandboxOptions,
  type RunningCatalogSandbox,
} from '../../src/sandbox/catalog/index.js';
import type { CatalogReadings } from '../../src/sandbox/catalog/readings.js';
import pg from 'pg';
import { endWithTheFile } from './left-open.mjs';
import { until } from './until.js';
import { createSandboxPlace } from './postgres.js';
import type { Stages } from './stages.js';

/** A catalog product as the sandbox answers it, as far as the tests look at it. */
export interface HeldProduct {
  readonly id: number;
  readonly external_id: string | null;
  readonly name: string | null;
  readonly sku: string | null;
  readonly barcode: string | null;
  readonly variants?: readonly HeldProduct[];
}

interface CatalogOptions extends Pick<CatalogSandboxOptions, 'pageSize' | 'bodyLimitBytes'> {
  /** The language of the workspace; the service's own is English. */
  readonly locale?: string | undefined;
}

interface KeptService {
  readonly service: RunningCatalogSandbox;
  readonly token: string;
  /** Waits until it has created all that it accepted. */
  readonly settle: () => Promise<unknown>;
  /** Removes all that the test left there, and gives the service to the next one. */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * By its options: the service that the last test used, for the next one with the same options. To empty it takes a tenth of the time of
 * a start. Only one is kept, because each looks for work forty times a second.
 */
const free = new Map<string, KeptService>();

/** A service without products. It goes on until the end of the test file. */
async function emptyService(options: Partial<CatalogSandboxOptions>): Promise<KeptService> {
  const key = JSON.stringify(options);
  const known = free.get(key);
  free.delete(key);
  if (known !== undefined) return known;
  const place = await createSandboxPlace();
  const delays = { generationDelayMs: 0, backgroundDelayMs: 0, pollMs: 25 };
  const service = await startCatalogSandbox({ ...place, ...options, ...delays });
  const { token } = await service.issueApiToken('tests');
  const db = new pg.Pool({
    connectionString: place.databaseUrl,
    options: `-c search_path=${place.schema}`,
    max: 1,
  });
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> =>
    (stopping ??= (async () => {
      free.delete(key);
      await service.stop();
      await db.end();
    })());
  endWithTheFile(stop);
  const settle = async (statuses = ['PENDING', 'STARTED']): Promise<unknown> =>
    until('the end of its work', async () => {
      const { rows } = await db.query(
        `SELECT 1 FROM background_task WHERE status = ANY($1) AND kind <> 'generate'`,
        [statuses],
      );
      return rows.length === 0;
    });
  const empty = async (): Promise<void> => {
    await settle(['STARTED']);
    await db.query(EMPTY);
    service.resetRequests();
    for (const earlier of [...free.values()]) await earlier.stop();
    free.set(key, kept);
  };
  const kept = { service, token, settle, empty, stop };
  return kept;
}

/** The tables hold few rows: deleting those takes two milliseconds, where TRUNCATE takes forty. */
const EMPTY = ['delivery', 'webhook_configuration', 'background_task', 'product', 'category']
  .map((table) => `DELETE FROM ${table}`)
  .join(';');

/** The real catalog sandbox under the given readings, in place of the catalog in memory. */
export class SandboxCatalog {
  /** The bodies of deliveries since they were last taken. */
  #delivered: Buffer[] = [];
  #receiver: Server | null = null;
  #beforeWrite: (() => Promise<unknown>) | null = null;
  #cut: { left: number; readonly then: () => void } | null = null;

  private constructor(
    private readonly kept: KeptService,
    readonly client: CatalogClient,
  ) {}

  get service(): RunningCatalogSandbox {
    return this.kept.service;
  }

  static async open(
    stages: Stages,
    readings: Partial<CatalogReadings>,
    { locale, ...limits }: CatalogOptions = {},
  ): Promise<SandboxCatalog> {
    const kept = await emptyService({ readings, ...limits });
    const client = clientOf(kept, locale, () => {
      catalog.#answered();
    });
    stages.client = client;
    // The program's clock runs as fast as it is asked to; the service creates products in real time.
    stages.clock.meanwhile = kept.settle;
    const catalog = new SandboxCatalog(kept, client);
    const update = client.updateProduct.bind(client);
    client.updateProduct = async (...call) => {
      const interrupt = catalog.#beforeWrite;
      catalog.#beforeWrite = null;
      await interrupt?.();
      return update(...call);
    };
    return catalog;
  }

  /** A client of the same workspace, as one that is configured in another language. The caller closes it. */
  inLocale(locale: string | undefined): CatalogClient {
    return clientOf(this.kept, locale);
  }

  /** Calls `then` once, when so many more requests have been answered. A later call replaces an earlier one. */
  afterRequests(count: number, then: () => void): void {
    this.#cut = { left: count, then };
  }

  /** Calls `interrupt` right before the next PATCH, once. */
  beforeWrite(interrupt: () => Promise<unknown>): void {
    this.#beforeWrite = interrupt;
  }

  #answered(): void {
    if (this.#cut === null || this.#cut.left-- > 0) return;
    const { then } = this.#cut;
    this.#cut = null;
    then();
  }

  /** Puts a product there as another system would, and waits until its variants exist. */
  async hold(body: Parameters<CatalogClient['upsertProduct']>[0]): Promise<string> {
    const created = await this.client.upsertProduct(body, { locale: null });
    if (created.kind === 'product') return String(created.product.id);
    // By the product itself, as some readings do not let tasks be read.
    return until('the foreign model', async () => {
      const product = await this.of(body.external_id);
      const complete = product?.variants?.length === body.variants?.length;
      return product !== undefined && complete ? String(product.id) : null;
    });
  }

  /** Every listed product with its variants, oldest first, in the service's own language. */
  async all(): Promise<HeldProduct[]> {
    const held: HeldProduct[] = [];
    for await (const { id } of this.client.iterateProducts({ sorting: 'asc', orderBy: 'date' }))
      held.push((await this.client.getProduct(id, { locale: null })) as unknown as HeldProduct);
    return held;
  }

  /** Has the service send its deliveries here. */
  async receiveDeliveries(): Promise<void> {
    this.#receiver = createServer((request, response) => {
      void request.toArray().then((chunks: Buffer[]) => {
        this.#delivered.push(Buffer.concat(chunks));
        response.end();
      });
    });
    await new Promise<void>((resolve) => this.#receiver?.listen(0, '127.0.0.1', resolve));
    const { port } = this.#receiver.address() as AddressInfo;
    await this.client.putWebhookSettings({ url: `http://127.0.0.1:${port}/` });
  }

  /** The deliveries since the last call. */
  takeDeliveries(): Buffer[] {
    return this.#delivered.splice(0);
  }

  /** The listed product with this external_id and its variants, in the service's own language. */
  async of(externalId: string | null | undefined): Promise<HeldProduct | undefined> {
    for await (const { id, external_id } of this.client.iterateProducts({ sorting: 'asc', orderBy: 'date' }))
      if (external_id === externalId)
        return (await this.client.getProduct(id, { locale: null })) as unknown as HeldProduct;
    return undefined;
  }

  async close(): Promise<void> {
    this.client.close();
    this.#receiver?.close();
    this.#receiver?.closeAllConnections();
    await this.kept.empty();
  }
}

function clientOf(
  { service, token }: KeptService,
  locale: string | undefined,
  onRequest: () => void = () => undefined,
): CatalogClient {
  return new CatalogClient({
    baseUrl: service.baseUrl,
    auth: { apiToken: token },
    requestsPerSecond: 10_000,
    ...(locale === undefined ? {} : { locale }),
    onRequest,
  });
}
