import type { WriteBackEntity } from '../../src/persistence/entities/index.js';
import { type SandboxProduct } from '../../src/sandbox/store/index.js';
import { startTestStore, type TestStore } from './sandbox/test-store.js';
import { ShopifyConnector } from '../../src/store/shopify/connector.js';
import { SHOP } from './fake-store.js';
import { deliverNewer, type ResultOptions, writeNewer } from './results.js';
import type { Stages } from './stages.js';

/** The real connector and the sandbox of its store, in place of the store in memory. */
export class SandboxStore {
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
  written({ id }: SandboxProduct, result: ResultOptions): Promise<WriteBackEntity> {
    return writeNewer(this.stages, { id, ...result });
  }

  /** Delivers a result for the product; returns its write-back's id. */
  intended({ id }: SandboxProduct, result: ResultOptions): Promise<string> {
    return deliverNewer(this.stages, { id, ...result });
  }

  async close(): Promise<void> {
    await this.stages.connector?.close();
    this.stages.connector = null;
    await this.store.stop();
  }
}
