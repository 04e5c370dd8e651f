import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { environment, loadConfig } from '../../config/index.js';
import { CodedError } from '../../domain/errors.js';
import { startDaemon, type RunningDaemon } from '../../daemon.js';
import { openEmbeddedPostgres, removeEmbeddedPostgres } from '../../embedded-postgres/index.js';
import { freePort } from '../../runtime/free-port.js';
import { startCatalogSandbox, type RunningCatalogSandbox } from '../../sandbox/catalog/index.js';
import type { ImportedProduct } from '../../sandbox/store/index.js';
import { openRuntime, type Runtime } from '../runtime.js';
import { openDemoShop, type DemoKind, type DemoShop } from './demo-shop.js';

const MOST_PRODUCTS = 1_000_000;
export const DEMO_STORE = 'demo';
/** Both sides and the daemon on this machine, connected by an ordinary configuration. */
export interface DemoWorld {
  readonly catalog: RunningCatalogSandbox;
  readonly shop: DemoShop;
  readonly daemon: RunningDaemon;
  readonly runtime: Runtime;
  readonly url: string;
  readonly adminToken: string;
  /** For further commands, while the demo stays up. It holds the demo's own secrets. */
  readonly configFile: string;
  end(): Promise<void>;
}

/**
 * Starts everything. When one part fails, or `signal` aborts, the parts before it are stopped and the reason is thrown.
 */
export async function openDemoWorld(
  kind: DemoKind,
  products: readonly ImportedProduct[],
  signal: AbortSignal,
): Promise<DemoWorld> {
  const wanted = wantedPort(environment()['PORT']);
  const ends: (() => Promise<void>)[] = [];
  const end = async (): Promise<void> => {
    for (const close of ends.splice(0).reverse()) await close();
  };
  try {
    const dir = await mkdtemp(join(tmpdir(), 'store-sync-demo-'));
    ends.push(async () => {
      await removeEmbeddedPostgres(dir);
      await rm(dir, { recursive: true, force: true });
    });
    const shop = await openDemoShop(kind, products);
    ends.push(() => shop.stop());
    const database = await openEmbeddedPostgres({ dataDir: dir, log: () => undefined });
    ends.push(() => database.release());
    signal.throwIfAborted();
    const catalog = await startCatalogSandbox({ databaseUrl: database.url });
    ends.push(() => catalog.stop());
    signal.throwIfAborted();
    const { token } = await catalog.issueApiToken('demo');
    // The webhook's address must be known before the daemon listens on it.
    const port = wanted ?? (await freePort({ random: Math.random }));
    const url = `http://127.0.0.1:${String(port)}`;
    const adminToken = randomBytes(24).toString('base64url');
    const configFile = join(dir, 'demo.yaml');
    const places = { dir, port, url, catalog, shop, adminToken, token };
    await writeFile(configFile, stringify(settings(places)), { mode: 0o600 });
    const runtime = await openRuntime(loadConfig({ configFile, env: {} }), 'stderr');
    ends.push(() => runtime.release());
    signal.throwIfAborted();
    const daemon = await startDaemon(runtime);
    ends.push(() => daemon.stop());
    return { catalog, shop, daemon, runtime, url, adminToken, configFile, end };
  } catch (error) {
    await end();
    throw error;
  }
}

interface Places {
  readonly dir: string;
  readonly port: number;
  readonly url: string;
  readonly catalog: RunningCatalogSandbox;
  readonly shop: DemoShop;
  readonly adminToken: string;
  readonly token: string;
}

function settings({ dir, port, url, catalog, shop, adminToken, token }: Places): object {
  return {
    server: { host: '127.0.0.1', port, publicUrl: url, adminToken },
    database: { url: 'embedded', dataDir: dir },
    workspaces: {
      default: {
        baseUrl: catalog.baseUrl,
        auth: { apiToken: token },
        // A catalog on the same machine can handle more requests than a remote one.
        requestsPerSecond: 200,
        webhook: { hmacSecret: randomBytes(32).toString('hex') },
        // All products of an export, in one run.
        generation: { maxPerRun: MOST_PRODUCTS },
        tasks: { pollSeconds: 5 },
      },
    },
    stores: {
      [DEMO_STORE]: {
        ...shop.settings,
        workspace: 'default',
        writeBack: {
          fields: {
            name: 'title',
            html_description: 'descriptionHtml',
            'sections.seo_title': 'seo.title',
            'sections.seo_description': 'seo.description',
          },
          attributes: { keywords: shop.keywords },
          sections: { namespace: 'catalog' },
          // One product of the built-in catalogue has a longer title: it waits for a person.
          gates: { title: { maxLength: 120 } },
        },
      },
    },
  };
}

/** `PORT`, as `start` takes it; null when it is not set. Throws `misconfigured` for anything but a port. */
function wantedPort(given: string | undefined): number | null {
  if (given === undefined || given === '') return null;
  const port = Number(given);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new CodedError('misconfigured', 'PORT must be a number from 1 to 65535');
  return port;
}
