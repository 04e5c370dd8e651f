import { APP_FILTER, APP_PIPE, DiscoveryModule } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { LoggerModule } from 'nestjs-pino';
import { AccessThrottle } from './api/access-throttle.js';
import { AccessTokens } from './api/access.js';
import { BearerAuthentication } from './api/admin.guard.js';
import { Admission } from './api/allow.js';
import { API_CONTROLLERS } from './api/controllers.js';
import { ErrorFilter } from './api/error.filter.js';
import { HealthController } from './api/health.controller.js';
import { InstallController } from './api/install.controller.js';
import { MetricsController } from './api/metrics.controller.js';
import type { Part, ProcessSettings } from './app.module.js';
import type { AppConfig, ProcessRole } from './config/index.js';
import { RequestValidation } from './api/request-validation.js';
import { SilenceWatch } from './connections/silence-watch.js';
import { PAGE_PROVIDERS, pageMiddleware, PAGES } from './dashboard/dashboard.js';
import { OffPages } from './dashboard/pages/off.pages.js';
import { LIFECYCLE_EVENTS, NOTIFICATIONS } from './notifications/notification-providers.js';
import { createLoggerOptions } from './observability/logging/index.js';
import { EnqueuedRowWork } from './operations/enqueued-row-work.js';
import { RowWorkPort } from './operations/row-work.js';
import { StateMetrics } from './operations/state-metrics.js';
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
import { SettingsModule } from './settings.module.js';
import { CreationsProcessor } from './sync/creations.processor.js';
import { RunsProcessor } from './sync/runs.processor.js';
import { BYTE_BUDGET } from './webhooks/byte-budget.js';
import { CatalogWebhookController } from './webhooks/catalog-webhook.controller.js';
import { ComplianceWebhookController } from './webhooks/compliance-webhook.controller.js';
import { DeliveriesProcessor } from './webhooks/deliveries.processor.js';
import { StoreWebhookController } from './webhooks/store-webhook.controller.js';
import { BulkChangesProcessor } from './write-back/bulk-changes.processor.js';
import { WriteBacksProcessor } from './write-back/write-backs.processor.js';

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
  {
    role: 'admin',
    when: hasPages,
    controllers: PAGES,
    providers: PAGE_PROVIDERS,
    middleware: (consumer, connections) => {
      consumer.apply(...pageMiddleware(connections)).forRoutes(...PAGES);
    },
  },
  { role: 'admin', when: (config) => !hasPages(config), controllers: [OffPages] },
];

/** What a daemon of the roles in its configuration has. */
export function daemonParts(settings: ProcessSettings): readonly Part[] {
  const { config, logger, databaseUrl } = settings;
  const { redisUrl } = config.queue;
  const queues = QueueModule.forRoot({
    storage: redisUrl === undefined ? { kind: 'postgres', databaseUrl } : { kind: 'redis', redisUrl },
  });
  const parts = ROLES.filter(
    ({ role, when }) => config.server.roles.includes(role) && (when === undefined || when(config)),
  );
  return [
    { imports: [SettingsModule.forRoot(settings, CONNECTION_BUDGET.work, 'move')] },
    { imports: [LoggerModule.forRoot(createLoggerOptions(logger)), queues] },
    DAEMON,
    ...parts,
  ];
}
