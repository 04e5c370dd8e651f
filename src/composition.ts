import type { DynamicModule, Provider } from '@nestjs/common';
import { assumptionOverridesSchema } from './catalog/assumptions.js';
import type { CatalogClientOptions } from './catalog/client-options.js';
import { CatalogClient } from './catalog/client.js';
import type { AppConfig } from './config/index.js';
import type { Metrics } from './observability/metrics/metrics.js';
import { GenerationAsking, Planning, RowWork, SlotKeeping, WriteBackUndoing } from './operations/ports.js';
import { LinkRepository } from './persistence/link.repository.js';
import { StateRepository } from './persistence/state.repository.js';
import { WriteBackRepository } from './persistence/write-back.repository.js';
import type { RowLog } from './runtime/logger.js';
import { makeStore, Sites, type Store, type Workspace } from './sites/sites.js';
import { REAL_TIMING } from './runtime/clock.js';
import { WebhookSlot } from './schedule/webhook-slot.js';
import { createStoreConnector, type StoreLog } from './store/index.js';
import { GenerationRequester } from './sync/generation.js';
import { SavedPlans } from './sync/saved-plans.js';
import { tracedRequest } from './observability/tracing/tracing.js';
import { DeliveryInterpreter } from './webhooks/interpreter.js';
import { interpreterProvider } from './webhooks/interpreter.provider.js';
import { WriteBackReverter } from './write-back/reverter.js';
import { WriteBackWriter } from './write-back/writer.js';
import { writerProvider } from './write-back/writer.provider.js';

/** How long the catalog's client bears with a service that fails: work bears long, a person who waits at a terminal does not. */
type Patience = Pick<CatalogClientOptions, 'maxThrottleWaitMs' | 'retryDelayScale'>;

/**
 * Binds the configured workspaces and stores to their connectors: the one place that knows both a port and what implements
 * it. Calls nobody yet. Throws `misconfigured` for settings that cannot work.
 */
export function connectSites(
  config: AppConfig,
  metrics: Metrics,
  log: StoreLog,
  patience: Patience = {},
): Sites {
  const workspaces = new Map(
    Object.entries(config.workspaces).map(([key, settings]): [string, Workspace] => [
      key,
      { key, settings, client: catalogClient(key, settings, metrics, patience) },
    ]),
  );
  const stores = Object.entries(config.stores).flatMap(([key, settings]): Store[] => {
    const workspace = workspaces.get(settings.workspace);
    // The configuration's schema has refused a store without a workspace.
    if (!workspace) return [];
    return [makeStore(key, settings, storeConnector(key, settings, metrics, log), workspace)];
  });
  return new Sites([...workspaces.values()], stores);
}

function catalogClient(
  key: string,
  settings: Workspace['settings'],
  metrics: Metrics,
  patience: Patience,
): CatalogClient {
  return new CatalogClient({
    ...patience,
    baseUrl: settings.baseUrl,
    auth: settings.auth,
    ...(settings.locale === undefined ? {} : { locale: settings.locale }),
    requestsPerSecond: settings.requestsPerSecond,
    concurrency: settings.concurrency,
    generation: settings.generation.request,
    tasks: settings.tasks,
    assumptions: assumptionOverridesSchema.parse(settings.assumptions),
    onRequest: ({ operation, method, path, status, durationMs, allowed }) => {
      metrics.catalogRequests.inc({ method, status: String(status ?? 'none') });
      metrics.catalogConcurrency.set({ workspace: key }, allowed);
      tracedRequest(
        `catalog ${method} ${path}`,
        {
          workspace: key,
          operation,
          'http.request.method': method,
          'url.template': path,
          'http.response.status_code': status,
        },
        { at: REAL_TIMING.now(), durationMs, failure: failureOf(status) },
      );
    },
  });
}

function storeConnector(
  key: string,
  settings: Store['settings'],
  metrics: Metrics,
  log: StoreLog,
): Store['connector'] {
  const { accessToken, clientId, clientSecret } = settings.auth;
  return createStoreConnector({
    kind: settings.kind,
    shop: settings.shop,
    endpoint: settings.endpoint,
    auth:
      accessToken === undefined
        ? { clientId: clientId ?? '', clientSecret: clientSecret ?? '' }
        : { accessToken },
    apiVersion: settings.apiVersion,
    requiredScopes:
      settings.writeBack.locales.length > 0
        ? ['read_translations', 'write_translations', 'read_locales']
        : [],
    locales: settings.writeBack.locales,
    variantMetafields: [settings.mapping.mpn, settings.mapping.asin].filter((name) => name !== ''),
    log,
    onCost: ({ available }) => {
      metrics.storeBucket.set({ store: key }, available);
    },
    onRequest: ({ operation, outcome, attempt, status, durationMs }) => {
      metrics.storeRequests.inc({ store: key, operation, outcome });
      tracedRequest(
        `store ${operation}`,
        { store: key, operation, attempt, 'http.response.status_code': status ?? undefined },
        { at: REAL_TIMING.now(), durationMs, failure: outcome === 'ok' ? null : outcome },
      );
    },
  });
}

/** As OpenTelemetry's conventions name it: the status, or that no answer came. */
function failureOf(status: number | undefined): string | null {
  if (status === undefined) return 'no_answer';
  return status >= 400 ? String(status) : null;
}

/** What operations ask of the stages, bound to them; `work` says who looks at the rows that an operation has moved. */
export function operationPorts(
  publicUrl: AppConfig['server']['publicUrl'],
  sync: DynamicModule,
  work: readonly Provider[],
  log: RowLog,
): Pick<DynamicModule, 'imports' | 'providers'> {
  return {
    imports: [sync],
    providers: [
      ...work,
      {
        provide: WriteBackUndoing,
        inject: [Sites, WriteBackRepository, LinkRepository],
        useFactory: (
          sites: Sites,
          writeBacks: WriteBackRepository,
          links: LinkRepository,
        ): WriteBackUndoing => new WriteBackReverter(sites, writeBacks, links, log),
      },
      {
        provide: GenerationAsking,
        inject: [GenerationRequester],
        useFactory: (requester: GenerationRequester): GenerationAsking => ({
          ask: (store, products, signal) => requester.requestGiven(store, products, signal),
        }),
      },
      {
        provide: SlotKeeping,
        inject: [StateRepository],
        useFactory: (state: StateRepository): SlotKeeping => new WebhookSlot(publicUrl, state),
      },
      {
        provide: Planning,
        inject: [SavedPlans],
        useFactory: (plans: SavedPlans): Planning => plans,
      },
    ],
  };
}

/**
 * A command looks at them itself, beside a running daemon or without one: leases keep the two apart. What came of it is the
 * command's own answer, so that the log warns of nothing twice.
 */
export function workOnTheSpot(lines: RowLog): Provider[] {
  const info: RowLog['info'] = (fields, message) => {
    lines.info(fields, message);
  };
  const log: RowLog = { info, warn: info };
  return [
    interpreterProvider(log),
    writerProvider(log),
    {
      provide: RowWork,
      inject: [DeliveryInterpreter, WriteBackWriter],
      useFactory: (interpreter: DeliveryInterpreter, writer: WriteBackWriter): RowWork => ({
        deliveries: async (ids) => {
          for (const id of ids) {
            const { writeBackId } = await interpreter.interpret(id);
            if (writeBackId !== null) await writer.write(writeBackId);
          }
        },
        writeBacks: async (ids) => {
          for (const id of ids) await writer.write(id);
        },
        // The command that made the run works it, with its progress.
        run: () => Promise.resolve(),
      }),
    },
  ];
}
