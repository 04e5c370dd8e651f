import {
  startCatalogSandbox,
  type CatalogSandboxOptions,
  type RunningCatalogSandbox,
} from '../../../src/sandbox/catalog/index.js';
import { startTestStore, type TestStore, type TestStoreOptions } from '../sandbox/test-store.js';
import { FaultProxy } from '../fault-proxy.js';
import { createSandboxPlace } from '../postgres.js';

/** The token that the sandbox of every store takes. */
export const STORE_TOKEN = 'shpat_of_the_tests_0123456789';

/** An address that refuses every connection. */
const NOBODY = 'http://127.0.0.1:9/api/v1';

export interface ServicesOptions {
  /** Changes to the catalog's sandbox; `false`: the catalog's address refuses connections. */
  readonly catalog?: Partial<CatalogSandboxOptions> | false;
  /** Keys of the configured stores; `main` alone by default. */
  readonly stores?: readonly string[];
  /** For every store. A `shop` in it replaces `KEY.myshopify.com`. */
  readonly store?: TestStoreOptions;
  /** A proxy that can fail stands between the program and the catalog. */
  readonly proxied?: boolean;
}

/** Both sides of the program: the catalog service and the stores, as sandboxes that are real HTTP services. */
export class Services {
  private constructor(
    private readonly sandbox: RunningCatalogSandbox | null,
    readonly catalogToken: string,
    readonly stores: ReadonlyMap<string, TestStore>,
    readonly proxy: FaultProxy | null,
  ) {}

  /** Ends what it has started when a part does not start. */
  static async open(options: ServicesOptions): Promise<Services> {
    const started: (() => Promise<void>)[] = [];
    try {
      return await Services.start(options, started);
    } catch (error) {
      for (const stop of started) await stop();
      throw error;
    }
  }

  private static async start(options: ServicesOptions, started: (() => Promise<void>)[]): Promise<Services> {
    const catalog = options.catalog === false ? null : await openCatalog(options.catalog ?? {});
    if (catalog !== null) started.push(() => catalog.stop());
    const stores = new Map<string, TestStore>();
    for (const key of options.stores ?? ['main']) {
      const shop = `${key}.myshopify.com`;
      const store = await startTestStore({
        throttle: false,
        shop,
        accessToken: STORE_TOKEN,
        ...options.store,
      });
      started.push(() => store.stop());
      stores.set(key, store);
    }
    const proxy = options.proxied === true && catalog ? await FaultProxy.start(catalog.baseUrl) : null;
    const token = catalog === null ? 'nobody' : (await catalog.issueApiToken('tests')).token;
    return new Services(catalog, token, stores, proxy);
  }

  get catalog(): RunningCatalogSandbox {
    if (this.sandbox === null) throw new Error('this world has no catalog service');
    return this.sandbox;
  }

  /** The address that the program calls: the proxy's where there is one. */
  get catalogUrl(): string {
    return this.proxy?.url ?? this.sandbox?.baseUrl ?? NOBODY;
  }

  /** Throws when the sandbox of a store had an internal error. */
  async stop(): Promise<void> {
    await this.proxy?.stop();
    for (const store of this.stores.values()) await store.stop();
    await this.sandbox?.stop();
    const errors = [...this.stores.values()].flatMap((store) => store.internalErrors);
    if (errors.length > 0) throw new AggregateError(errors, 'the sandbox store failed by itself');
  }
}

async function openCatalog(options: Partial<CatalogSandboxOptions>): Promise<RunningCatalogSandbox> {
  const place = await createSandboxPlace();
  const quick = { generationDelayMs: 20, pollMs: 50, retryDelaysMs: [200, 1000] };
  return startCatalogSandbox({ ...place, ...quick, ...options });
}
