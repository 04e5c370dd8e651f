import { Inject, Module } from '@nestjs/common';
import type {
  DynamicModule,
  MiddlewareConsumer,
  ModuleMetadata,
  NestModule,
  Provider,
  Type,
} from '@nestjs/common';
import type { Logger as PinoLogger } from 'pino';
import { BulkFollower } from './cli/bulk-follower.js';
import { commandLogger } from './cli/command-logger.js';
import { ContentFollower } from './cli/content-follower.js';
import { RunFollower } from './cli/run-follower.js';
import { SilenceLines } from './cli/silence-lines.js';
import { CONNECTION_PROVIDERS } from './connections/connection-providers.js';
import { Connections } from './connections/connections.js';
import { SilenceWatch } from './connections/silence-watch.js';
import { Metrics } from './observability/metrics/metrics.js';
import { TracingModule } from './observability/tracing/tracing.module.js';
import { OPERATIONS } from './operations/index.js';
import { DirectRowWork, RowWorkPort } from './operations/row-work.js';
import { PersistenceModule } from './persistence/persistence.module.js';
import { SettingsModule, type AppSettings } from './settings.module.js';
import { Applier } from './sync/apply.js';
import { BackgroundCreations } from './sync/background-creations.js';
import { GenerationRequester } from './sync/generation.js';
import { RunApplication } from './sync/run-application.js';
import { RunEnds } from './sync/run-ends.js';
import { RunPlanner } from './sync/run-planner.js';
import { RunWorker } from './sync/run-worker.js';
import { SavedPlans } from './sync/saved-plans.js';
import { DeliveryInterpreter } from './webhooks/interpreter.js';
import { Approver } from './write-back/approver.js';
import { BulkWorker } from './write-back/bulk-worker.js';
import { LiveDecision } from './write-back/live-decision.js';
import { LiveLooks } from './write-back/live-looks.js';
import { Reapplier } from './write-back/reapplier.js';
import { WriteBackReverter } from './write-back/reverter.js';
import { WriteBackWriter } from './write-back/writer.js';

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

/** What is added to that. `roles.ts` has the parts of a daemon. */
export interface Part extends Pick<ModuleMetadata, 'imports' | 'controllers' | 'providers'> {
  /** Puts middleware before routes of the part. */
  readonly middleware?: (consumer: MiddlewareConsumer, connections: Connections) => void;
}
/** The middleware of all parts, which the module gets injected. */
const MIDDLEWARE = Symbol('MIDDLEWARE');

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
    @Inject(MIDDLEWARE) private readonly middleware: readonly NonNullable<Part['middleware']>[],
    private readonly connections: Connections,
  ) {}

  /** A process that has these parts. */
  static of(parts: readonly Part[]): DynamicModule {
    const middleware = parts.flatMap((part) => part.middleware ?? []);
    return {
      module: AppModule,
      imports: [TracingModule, PersistenceModule, ...parts.flatMap(({ imports = [] }) => imports)],
      controllers: parts.flatMap(({ controllers = [] }) => controllers),
      providers: [
        { provide: MIDDLEWARE, useValue: middleware },
        ...SHARED,
        ...parts.flatMap(({ providers = [] }) => providers),
      ],
    };
  }

  /** A process for the length of one command. One that only reads (`changes: false`) moves no rows of a store to a new key, and records no silence of a side. */
  static command(settings: AppSettings, service: Type, changes: boolean): DynamicModule {
    const logger = commandLogger(settings.logger);
    const renames = changes ? 'move' : 'refuse';
    return AppModule.of([
      { imports: [SettingsModule.forRoot({ ...settings, logger }, CONNECTIONS_OF_COMMAND, renames)] },
      { providers: [...COMMAND, ...(OPERATIONS.includes(service) ? [] : [service])] },
      { providers: changes ? [SilenceWatch] : [] },
    ]);
  }

  configure(consumer: MiddlewareConsumer): void {
    for (const apply of this.middleware) apply(consumer, this.connections);
  }
}
