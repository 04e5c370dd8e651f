import { isDeepStrictEqual } from 'node:util';
import { assumptionOverridesSchema } from '../catalog/assumptions.js';
import type { CatalogClientOptions } from '../catalog/client-options.js';
import { CatalogClient } from '../catalog/client.js';
import { isNotRead, type AppConfig } from '../config/index.js';
import type { Metrics } from '../observability/metrics/metrics.js';
import { tracedRequest } from '../observability/tracing/tracing.js';
import type { RequestRateRepository } from '../persistence/request-rate.repository.js';
import type { ShopIdentityRepository } from '../persistence/shop-identity.repository.js';
import { SYSTEM_CLOCK } from '../runtime/clock.js';
import { SILENT_LOGGER, type Logger } from '../runtime/logger.js';
import { countRequest } from '../runtime/request-tally.js';
import { createStoreConnector, type ConnectorParts } from '../store/index.js';
import type { InstalledStores } from './installed-stores.js';
import { silent } from './silent.js';
import { makeStore, Connections, type Store, type Workspace } from './connections.js';

/** How long the catalog client retries while the service fails. A person who waits at a terminal gets a short limit. */
type Waits = Pick<CatalogClientOptions, 'maxThrottleWaitMs' | 'retryDelayScale'>;

/** The part of `Metrics` that counts requests. */
interface RequestMetrics {
  readonly catalogRequests: Pick<Metrics['catalogRequests'], 'inc'>;
  readonly storeRequests: Pick<Metrics['storeRequests'], 'inc'>;
  readonly storeBucket: Pick<Metrics['storeBucket'], 'set'>;
}

/** Clients and connectors report their requests to these. */
export interface Observers {
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  /** Shares the rate limit of each workspace with other processes. Without it a process has limits of its own. */
  readonly rate?: Pick<RequestRateRepository, 'of'>;
  /** Remembers which shop a store is. Without it each process believes the shop that it meets. */
  readonly identities?: Pick<ShopIdentityRepository, 'of'>;
}

const nothing = (): void => undefined;

/** For commands that report their requests nowhere. */
export const SILENT_OBSERVERS: Observers = {
  metrics: {
    catalogRequests: { inc: nothing },
    storeRequests: { inc: nothing },
    storeBucket: { set: nothing },
  },
  logger: SILENT_LOGGER,
};

export interface ConnectOptions {
  /** Adds the stores that merchants installed. */
  readonly installed?: Pick<InstalledStores, 'join' | 'tokens'>;
  /** A workspace or store with the same settings as in these is kept, with its connections, rate limit and tokens. */
  readonly present?: Connections;
  readonly waits?: Waits;
}

/**
 * Makes the client of each configured workspace and the connector of each store. Sends nothing yet. Throws `misconfigured` for
 * settings that cannot work.
 */
export function connect(
  files: Pick<AppConfig, 'workspaces' | 'stores' | 'storeTemplate'>,
  { metrics, logger, rate, identities }: Observers,
  { installed, present, waits = {} }: ConnectOptions = {},
): Connections {
  const { config, installed: shops } = installed?.join(files) ?? { config: files, installed: new Set() };
  const ofCatalog = { metrics, rate, log: logger.child({ stage: 'catalog' }) };
  const log = logger.child({ stage: 'store' });
  const workspaces = new Map(
    Object.entries(config.workspaces).map(([key, settings]): [string, Workspace] => {
      const before = present?.workspace(key);
      if (before !== undefined && isDeepStrictEqual(before.settings, settings)) return [key, before];
      const client = catalogClient(key, settings, ofCatalog, waits);
      return [key, { key, settings, client: isNotRead(settings.auth) ? silent(client) : client }];
    }),
  );
  const stores = Object.entries(config.stores).flatMap(([key, settings]): Store[] => {
    const workspace = workspaces.get(settings.workspace);
    // The schema of the configuration rejects a store without a workspace.
    if (!workspace) return [];
    const isInstalled = shops.has(settings.shop);
    const before = present?.findStore(key);
    const isSame = before?.isInstalled === isInstalled && isDeepStrictEqual(before.settings, settings);
    if (isSame && before.workspace === workspace) return [before];
    const tokens = isInstalled ? installed?.tokens.of(settings.shop) : undefined;
    const identity = identities?.of(key);
    // A store in another workspace keeps its connector.
    const connector = isSame
      ? before.connector
      : storeConnector(key, settings, { metrics, log, tokens, identity });
    const usable = !isSame && isNotRead(settings.auth) ? silent(connector) : connector;
    return [makeStore(key, settings, usable, workspace, isInstalled)];
  });
  return new Connections([...workspaces.values()], stores);
}

function catalogClient(
  key: string,
  settings: Workspace['settings'],
  { metrics, log, rate }: Pick<Observers, 'metrics' | 'rate'> & { readonly log: Logger },
  waits: Waits,
): CatalogClient {
  return new CatalogClient({
    ...waits,
    baseUrl: settings.baseUrl,
    auth: settings.auth,
    ...(settings.locale === undefined ? {} : { locale: settings.locale }),
    requestsPerSecond: settings.requestsPerSecond,
    rate: rate?.of(key, settings.requestsPerSecond),
    generation: settings.generation.request,
    tasks: settings.tasks,
    assumptions: assumptionOverridesSchema.parse(settings.assumptions),
    onMalformed: ({ operation, id, problem }) => {
      log.warn(
        { workspace: key, operation, productId: id, problem },
        'a malformed product of a list is left out',
      );
    },
    onRequest: ({ operation, method, path, status, durationMs }) => {
      countRequest('catalog', status !== undefined);
      metrics.catalogRequests.inc({ method, status: String(status ?? 'none') });
      tracedRequest(
        `catalog ${method} ${path}`,
        {
          workspace: key,
          operation,
          'http.request.method': method,
          'url.template': path,
          'http.response.status_code': status,
        },
        { at: SYSTEM_CLOCK.now(), durationMs, failure: failureOf(status) },
      );
    },
  });
}

/** `tokens`: those of a store that a merchant installed. */
function storeConnector(
  key: string,
  settings: Store['settings'],
  {
    metrics,
    ...parts
  }: { readonly metrics: RequestMetrics } & Pick<ConnectorParts, 'log' | 'tokens' | 'identity'>,
): Store['connector'] {
  return createStoreConnector(settings, {
    ...parts,
    onBudget: (available) => {
      metrics.storeBucket.set({ store: key }, available);
    },
    onRequest: ({ operation, outcome, attempt, status, durationMs }) => {
      countRequest('store', status !== null);
      metrics.storeRequests.inc({ store: key, operation, outcome });
      tracedRequest(
        `store ${operation}`,
        { store: key, operation, attempt, 'http.response.status_code': status ?? undefined },
        { at: SYSTEM_CLOCK.now(), durationMs, failure: outcome === 'ok' ? null : outcome },
      );
    },
  });
}

/** Named by OpenTelemetry's conventions: the status, or that no response arrived. */
function failureOf(status: number | undefined): string | null {
  if (status === undefined) return 'no_answer';
  return status >= 400 ? String(status) : null;
}
