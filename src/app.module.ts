import { Inject, Module } from '@nestjs/common';
import type {
  DynamicModule,
  MiddlewareConsumer,
  ModuleMetadata,
  NestModule,
  Provider,
  Type,
} from '@nestjs/common';
import { APP_FILTER, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { LoggerModule } from 'nestjs-pino';
import type { Logger as PinoLogger } from 'pino';
import { AccessThrottle } from './api/access-throttle.js';
import { AccessTokens } from './api/access.js';
import { BearerAuthentication } from './api/admin.guard.js';
import { Admission } from './api/allow.js';
import { API_CONTROLLERS } from './api/controllers.js';
import { ErrorFilter } from './api/error.filter.js';
import { HealthController } from './api/health.controller.js';
import { InstallController } from './api/install.controller.js';
import { MetricsController } from './api/metrics.controller.js';
import { BulkFollower } from './cli/bulk-follower.js';
import { commandLogger } from './cli/command-logger.js';
import { ContentFollower } from './cli/content-follower.js';
import { RunFollower } from './cli/run-follower.js';
import { SilenceLines } from './cli/silence-lines.js';
import { APP_CONFIG, type AppConfig, type ProcessRole } from './config/index.js';
import { CONNECTION_PROVIDERS } from './connections/connection-providers.js';
import { RequestValidation } from './api/request-validation.js';
import { Connections } from './connections/connections.js';
import { SilenceWatch } from './connections/silence-watch.js';
import { PAGE_PROVIDERS, pageMiddleware, PAGES } from './dashboard/dashboard.js';
import { OffPages } from './dashboard/pages/off.pages.js';
import { LIFECYCLE_EVENTS, NOTIFICATIONS } from './notifications/notification-providers.js';
import { createLoggerOptions } from './observability/logging/index.js';
import { Metrics } from './observability/metrics/metrics.js';
import { TracingModule } from './observability/tracing/tracing.module.js';
import { OPERATIONS } from './operations/index.js';
import { DirectRowWork, EnqueuedRowWork, RowWorkPort } from './operations/row-work.js';
import { StateMetrics } from './operations/state-metrics.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { ProcessorCheck, QueueModule } from './queue/index.js';
import { CONNECTION_BUDGET } from './runtime/connection-budget.js';
import { Reconciler } from './schedule/reconciler.js';
import { Retention } from './schedule/retention.js';
import { Scheduler } from './schedule/scheduler.js';
import { ShopRedactions } from './schedule/shop-redactions.js';
import { Uninstalls } from './schedule/uninstalls.js';
import { SideChecks } from './schedule/side-checks.js';
import { StoreSchedules } from './schedule/store-schedules.js';
import { TaskPoller } from './schedule/task-poller.js';
import { Timers } from './schedule/timers.js';
import { SettingsModule, type AppSettings } from './settings.module.js';
import { Applier } from './sync/apply.js';
import { BackgroundCreations } from './sync/background-creations.js';
import { CreationsProcessor } from './sync/creations.processor.js';
import { GenerationRequester } from './sync/generation.js';
import { RunApplication } from './sync/run-application.js';
import { RunEnds } from './sync/run-ends.js';
import { RunPlanner } from './sync/run-planner.js';
import { RunWorker } from './sync/run-worker.js';
import { RunsProcessor } from './sync/runs.processor.js';
import { SavedPlans } from './sync/saved-plans.js';
import { BYTE_BUDGET } from './webhooks/byte-budget.js';
import { CatalogWebhookController } from './webhooks/catalog-webhook.controller.js';
import { ComplianceWebhookController } from './webhooks/compliance-webhook.controller.js';
import { DeliveriesProcessor } from './webhooks/deliveries.processor.js';
import { DeliveryInterpreter } from './webhooks/interpreter.js';
import { StoreWebhookController } from './webhooks/store-webhook.controller.js';
import { Approver } from './write-back/approver.js';
import { BulkChangesProcessor } from './write-back/bulk-changes.processor.js';
import { BulkWorker } from './write-back/bulk-worker.js';
import { LiveDecision } from './write-back/live-decision.js';
import { LiveLooks } from './write-back/live-looks.js';
import { Reapplier } from './write-back/reapplier.js';
import { WriteBackReverter } from './write-back/reverter.js';
import { WriteBackWriter } from './write-back/writer.js';
import { WriteBacksProcessor } from './write-back/write-backs.processor.js';

export interface ProcessSettings extends AppSettings {
  readonly logger: PinoLogger;
}

/** Every process has these, besides the database: the daemon in any role, and a command. */
const SHARED: readonly Provider[] = [
  Metrics,
  ...CONNECTION_PROVIDERS,
  // Runs
  RunWorker,
  RunPlanner,
  RunApplication,
  RunEnds,
  Applier,
  SavedPlans,
  BackgroundCreations,
  GenerationRequester,
  // Results
  DeliveryInterpreter,
  LiveDecision,
  LiveLooks,
  WriteBackWriter,
  WriteBackReverter,
  Reapplier,
  Approver,
  BulkWorker,
  ...OPERATIONS,
];

type Part = Pick<ModuleMetadata, 'imports' | 'controllers' | 'providers'>;
interface RolePart extends Part {
  readonly role: ProcessRole;
  /** Whether a process with this configuration has the part; without it, each process has. */
  readonly when?: (config: AppConfig) => boolean;
}

/** Every daemon has these, whatever its roles. */
const DAEMON: Part = {
  controllers: [HealthController, MetricsController],
  providers: [
    SilenceWatch,
    StateMetrics,
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: RowWorkPort, useClass: EnqueuedRowWork },
  ],
};

const hasPages = (config: AppConfig): boolean => new AccessTokens(config).any;

/** What each role adds to a daemon (`server.roles`). */
const ROLES: readonly RolePart[] = [
  {
    role: 'receive',
    controllers: [
      CatalogWebhookController,
      ComplianceWebhookController,
      StoreWebhookController,
      InstallController,
    ],
    providers: [BYTE_BUDGET],
  },
  {
    role: 'work',
    imports: [ScheduleModule.forRoot(), DiscoveryModule],
    providers: [
      RunsProcessor,
      CreationsProcessor,
      DeliveriesProcessor,
      WriteBacksProcessor,
      BulkChangesProcessor,
      ProcessorCheck,
      Timers,
      Scheduler,
      StoreSchedules,
      Reconciler,
      SideChecks,
      TaskPoller,
      Retention,
      ShopRedactions,
      Uninstalls,
    ],
  },
  {
    role: 'work',
    when: ({ notifications }) => notifications.webhookUrl !== undefined,
    providers: NOTIFICATIONS,
  },
  {
    role: 'work',
    when: ({ notifications }) => notifications.events.webhookUrl !== undefined,
    providers: LIFECYCLE_EVENTS,
  },
  {
    role: 'admin',
    controllers: [...API_CONTROLLERS],
    providers: [
      AccessTokens,
      AccessThrottle,
      Admission,
      BearerAuthentication,
      { provide: APP_PIPE, useClass: RequestValidation },
    ],
  },
  { role: 'admin', when: hasPages, controllers: PAGES, providers: PAGE_PROVIDERS },
  { role: 'admin', when: (config) => !hasPages(config), controllers: [OffPages] },
];

/** A command has these, and the class that it works with. */
const COMMAND: readonly Provider[] = [
  { provide: RowWorkPort, useClass: DirectRowWork },
  RunFollower,
  ContentFollower,
  BulkFollower,
  SilenceLines,
];
const CONNECTIONS_OF_COMMAND = 12;

/** The one root of every process. */
@Module({})
export class AppModule implements NestModule {
  constructor(
    @Inject(APP_CONFIG) private readonly config: AppConfig,
    private readonly connections: Connections,
  ) {}

  /** A daemon of the roles in its configuration. */
  static daemon(settings: ProcessSettings): DynamicModule {
    const { config, logger, databaseUrl } = settings;
    const { redisUrl } = config.queue;
    const parts = ROLES.filter(
      ({ role, when }) => config.server.roles.includes(role) && (when === undefined || when(config)),
    );
    return composed([
      { imports: [SettingsModule.forRoot(settings, CONNECTION_BUDGET.work, 'move')] },
      { imports: [LoggerModule.forRoot(createLoggerOptions(logger))] },
      {
        imports: [
          QueueModule.forRoot({
            storage: redisUrl === undefined ? { kind: 'postgres', databaseUrl } : { kind: 'redis', redisUrl },
          }),
        ],
      },
      DAEMON,
      ...parts,
    ]);
  }

  /** A process for the length of one command. One that only reads (`changes: false`) moves no rows of a store to a new key, and records no silence of a side. */
  static command(settings: AppSettings, service: Type, changes: boolean): DynamicModule {
    const logger = commandLogger(settings.logger);
    const renames = changes ? 'move' : 'refuse';
    return composed([
      { imports: [SettingsModule.forRoot({ ...settings, logger }, CONNECTIONS_OF_COMMAND, renames)] },
      { providers: [...COMMAND, ...(OPERATIONS.includes(service) ? [] : [service])] },
      { providers: changes ? [SilenceWatch] : [] },
    ]);
  }

  configure(consumer: MiddlewareConsumer): void {
    if (!this.config.server.roles.includes('admin') || !hasPages(this.config)) return;
    consumer.apply(...pageMiddleware(this.connections)).forRoutes(...PAGES);
  }
}

function composed(parts: readonly Part[]): DynamicModule {
  return {
    module: AppModule,
    imports: [TracingModule, PersistenceModule, ...parts.flatMap(({ imports = [] }) => imports)],
    controllers: parts.flatMap(({ controllers = [] }) => controllers),
    providers: [...SHARED, ...parts.flatMap(({ providers = [] }) => providers)],
  };
}
