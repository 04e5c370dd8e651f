import { CatalogClient } from '../../src/catalog/client.js';
import { startCatalogSandbox, type RunningCatalogSandbox } from '../../src/sandbox/catalog/index.js';
import type { CatalogReadings } from '../../src/sandbox/catalog/readings.js';
import { createTestDatabase } from './postgres.js';
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

/** The real catalog sandbox under the given readings, in place of the catalog in memory. */
export class SandboxCatalog {
  #cut: { left: number; readonly then: () => void } | null = null;

  private constructor(
    readonly service: RunningCatalogSandbox,
    readonly client: CatalogClient,
  ) {}

  static async open(stages: Stages, readings: Partial<CatalogReadings>): Promise<SandboxCatalog> {
    const service = await startCatalogSandbox({
      databaseUrl: (await createTestDatabase()).url,
      readings,
      ...{ generationDelayMs: 0, backgroundDelayMs: 0, pollMs: 20 },
    });
    const { token } = await service.issueApiToken('tests');
    const client = new CatalogClient({
      baseUrl: service.baseUrl,
      auth: { apiToken: token },
      requestsPerSecond: 10_000,
      onRequest: () => {
        catalog.#answered();
      },
    });
    stages.client = client;
    const catalog = new SandboxCatalog(service, client);
    return catalog;
  }

  /** Calls `then` once, when so many more requests have been answered. A later call replaces an earlier one. */
  afterRequests(count: number, then: () => void): void {
    this.#cut = { left: count, then };
  }

  #answered(): void {
    if (this.#cut === null || this.#cut.left-- > 0) return;
    const { then } = this.#cut;
    this.#cut = null;
    then();
  }

  /** Puts a product there as another system would, and waits until its variants exist. */
  async hold(body: Parameters<CatalogClient['upsertProduct']>[0]): Promise<string> {
    const created = await this.client.upsertProduct(body);
    if (created.kind === 'product') return String(created.product.id);
    for (;;) {
      const task = await this.client.getBackgroundTask(created.taskId);
      if (task.state === 'failed') throw new Error(`the foreign model was not created: ${task.reason ?? ''}`);
      if (task.state === 'succeeded') break;
    }
    for (const product of await this.all())
      if (product.external_id === body.external_id) return String(product.id);
    throw new Error('the foreign model is not listed');
  }

  /** Every listed product with its variants, oldest first. */
  async all(): Promise<HeldProduct[]> {
    const held: HeldProduct[] = [];
    for await (const { id } of this.client.iterateProducts({ sorting: 'asc', orderBy: 'date' }))
      held.push((await this.client.getProduct(id)) as unknown as HeldProduct);
    return held;
  }

  async of(externalId: string): Promise<HeldProduct | undefined> {
    return (await this.all()).find((product) => product.external_id === externalId);
  }

  async close(): Promise<void> {
    this.client.close();
    await this.service.stop();
  }
}
