import { type SandboxProduct } from '../../src/sandbox/store/index.js';
import { startTestStore, type TestStore } from './sandbox/test-store.js';
import { ShopifyConnector } from '../../src/store/shopify/connector.js';
import { SHOP } from './fake-store.js';
import { deliver, resultOf, type ResultOptions } from './results.js';
import type { Stages } from './stages.js';

/** The real connector and the sandbox of its store, in place of the store in memory. */
export class SandboxStore {
  #results = 0;

  private constructor(
    private readonly stages: Stages,
    readonly store: TestStore,
  ) {}

  static async open(stages: Stages): Promise<SandboxStore> {
    const store = await startTestStore({ shop: SHOP, exportMs: 0, throttle: false });
    stages.connector = new ShopifyConnector({
      ...{ shop: SHOP, endpoint: store.url, apiVersion: '2026-10' },
      auth: { accessToken: store.accessToken ?? '' },
    });
    return new SandboxStore(stages, store);
  }

  /** Delivers a result for the product and writes it; returns its write-back's row. */
  async written(product: SandboxProduct, result: ResultOptions) {
    const id = await this.intended(product, result);
    await this.stages.writer.write(id);
    const row = await this.stages.writeBacks.get(id);
    if (row === null) throw new Error('the write-back is gone');
    return row;
  }

  /** Delivers a result for the product; returns its write-back's id. */
  async intended(product: SandboxProduct, result: ResultOptions): Promise<string> {
    this.#results += 1;
    const createdAt = new Date(Date.now() + this.#results * 1000);
    const body = await resultOf(this.stages, product.id, {
      taskId: `result-${String(this.#results)}`,
      createdAt,
      ...result,
    });
    const { writeBackId, delivery } = await deliver(this.stages, body);
    if (writeBackId === null) throw new Error(`no write-back: ${delivery.note ?? ''}`);
    return writeBackId;
  }

  async close(): Promise<void> {
    await this.stages.connector?.close();
    this.stages.connector = null;
    await this.store.stop();
  }
}
