import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Accounts } from './auth/accounts.js';
import { JwtIssuer } from './auth/jwt.js';
import type { Scope } from './auth/scopes.js';
import { CatalogSandboxModule } from './catalog-sandbox.module.js';
import { SandboxDatabase } from './database.js';
import { CreditAccount } from './generation/credit-account.js';
import { bodyParsers, requireApiPath } from './http/body.js';
import { ApiExceptionFilter } from './http/exception.filter.js';
import { RequestLog, type LoggedRequest } from './http/request-log.js';
import { categoryId } from './products/categories.js';
import { API_PREFIX, resolveSettings, type CatalogSandboxOptions, type SandboxSettings } from './settings.js';
import { TaskWorkload } from './tasks/task-workload.js';
import { DeliveryStore, type DeliveryRecord } from './webhooks/delivery-store.js';
import { DeliveryWorkload } from './webhooks/delivery-workload.js';
import { Worker } from './worker.js';

export type { CatalogSandboxOptions } from './settings.js';
export type { DeliveryRecord, LoggedRequest, Scope };

/** A sandbox that answers, and what its operator and tests may do with it beside the API. */
export interface RunningCatalogSandbox {
  /** Ends in /api/v1. */
  readonly baseUrl: string;
  readonly defaultLocale: string;
  /** The token's full value is shown here once. Without `scopes` it may do everything. */
  issueApiToken(
    name: string,
    options?: { readonly scopes?: readonly Scope[] },
  ): Promise<{ id: number; token: string }>;
  /** By id. False when there was nothing to revoke. */
  revokeApiToken(id: number): Promise<boolean>;
  createUser(
    email: string,
    password: string,
    options?: { readonly scopes?: readonly Scope[] },
  ): Promise<void>;
  /** A subscription that lapsed answers 403 to every valid token. */
  setSubscription(active: boolean): Promise<void>;
  /** UUID that the `category` filter takes for this path. */
  categoryId(path: string): string;
  /** Requests that were answered, in order, without headers and bodies. */
  requests(): readonly LoggedRequest[];
  resetRequests(): void;
  /** Every delivery with its attempts, oldest first. */
  deliveries(): Promise<readonly DeliveryRecord[]>;
  /** Stops answering and sending. Due work stays in the database and continues after the next start. */
  stop(): Promise<void>;
}

/** Starts a catalog service that follows docs/catalog-rules.md, on a PostgreSQL schema of its own. */
export async function startCatalogSandbox(options: CatalogSandboxOptions): Promise<RunningCatalogSandbox> {
  const settings = resolveSettings(options);
  const database = await SandboxDatabase.open(options.databaseUrl, settings.schema, settings.logger);
  try {
    return await serve(settings, database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function serve(settings: SandboxSettings, database: SandboxDatabase): Promise<RunningCatalogSandbox> {
  const accounts = new Accounts(database, settings.clock);
  const jwt = await JwtIssuer.open(database, settings.clock);
  const requestLog = new RequestLog(settings.clock);
  const app = await NestFactory.create<NestExpressApplication>(
    CatalogSandboxModule.of({ settings, database, accounts, jwt }),
    { logger: false, bodyParser: false, abortOnError: false, forceCloseConnections: true },
  );
  app.disable('x-powered-by');
  app.setGlobalPrefix(API_PREFIX);
  app.useGlobalFilters(new ApiExceptionFilter(settings.logger));
  app.use(requestLog.middleware, requireApiPath, ...bodyParsers(settings.bodyLimitBytes));
  await app.get(CreditAccount).open();
  const workers = workersOf(app, settings);
  await app.listen(settings.port, settings.host);
  const baseUrl = origin(app.getHttpServer(), settings.host) + API_PREFIX;
  for (const worker of workers) worker.start();
  settings.logger.info(`The catalog sandbox answers at ${baseUrl}`);
  return {
    baseUrl,
    defaultLocale: settings.defaultLocale,
    issueApiToken: (name, { scopes } = {}) => accounts.issueApiToken(name, scopes),
    revokeApiToken: (id) => accounts.revokeApiToken(id),
    createUser: (email, password, { scopes } = {}) => accounts.createUser(email, password, scopes),
    setSubscription: (active) => accounts.setSubscription(active),
    categoryId,
    requests: () => requestLog.all(),
    resetRequests: () => {
      requestLog.reset();
    },
    deliveries: () => app.get(DeliveryStore).list(),
    stop: async () => {
      await app.close();
      await Promise.all(workers.map((worker) => worker.stop()));
      await database.close();
    },
  };
}

function workersOf(app: NestExpressApplication, { pollMs, logger }: SandboxSettings): Worker[] {
  return [
    new Worker(app.get(TaskWorkload), { pollMs, logger, concurrency: 4 }),
    new Worker(app.get(DeliveryWorkload), { pollMs, logger, concurrency: 16 }),
  ];
}

function origin(server: Server, host: string): string {
  const listening = server.address();
  if (listening === null || typeof listening === 'string')
    throw new Error('The sandbox does not listen on a port');
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${listening.port}`;
}
