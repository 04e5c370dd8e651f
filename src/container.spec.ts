import { describe, expect, it } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import type { DynamicModule, Type } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, ModulesContainer } from '@nestjs/core';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { pino } from 'pino';
import { AppModule } from './app.module.js';
import { BearerAuthentication } from './api/admin.guard.js';
import { HealthController } from './api/health.controller.js';
import { loadConfig, type AppConfig, type ProcessRole } from './config/index.js';
import { Sessions } from './dashboard/session.js';
import { Announcer } from './notifications/announcer.js';
import { DirectRowWork, RowWorkPort } from './operations/row-work.js';
import { AuditOperations } from './operations/audit.js';
import { DeliveryOperations } from './operations/deliveries.js';
import { PlanOperations } from './operations/plans.js';
import { RunOperations } from './operations/runs.js';
import { StatusReader } from './operations/status.js';
import { ProductOperations } from './operations/products.js';
import { WriteBackOperations } from './operations/write-backs.js';
import { Database } from './persistence/database.js';
import { Inbox } from './persistence/inbox.js';
import { ProcessorCheck, QUEUE_BACKEND, QUEUE_NAMES } from './queue/index.js';
import { daemonParts } from './roles.js';
import { Reconciler } from './schedule/reconciler.js';
import { RunWorker } from './sync/run-worker.js';
import { StoreWebhookController } from './webhooks/store-webhook.controller.js';

const ADMIN_TOKEN = 'a-token-of-at-least-32-characters-x';

function settings(server: Partial<AppConfig['server']> = {}, webhookUrl?: string) {
  const { config } = loadConfig({ configFile: undefined, env: {} });
  return {
    config: {
      ...config,
      server: { ...config.server, ...server },
      notifications: { ...config.notifications, webhookUrl },
    },
    databaseUrl: 'postgres://nowhere.invalid/none',
    logger: pino({ level: 'silent' }),
  };
}

/** Everything is real except what would connect to a server. */
function unconnected(builder: TestingModuleBuilder): TestingModuleBuilder {
  const queue = { on: () => undefined };
  let unconnectedBuilder = builder
    .overrideProvider(Database)
    .useValue({})
    .overrideProvider(Inbox)
    .useValue({});
  unconnectedBuilder = unconnectedBuilder.overrideProvider(QUEUE_BACKEND).useValue({});
  for (const name of QUEUE_NAMES)
    unconnectedBuilder = unconnectedBuilder.overrideProvider(getQueueToken(name)).useValue(queue);
  return unconnectedBuilder;
}

async function made(root: DynamicModule) {
  return unconnected(Test.createTestingModule({ imports: [root] })).compile();
}

it('the container of a command resolves what commands use', async () => {
  const module = await made(AppModule.command(settings(), PlanOperations, false));
  const types: Type[] = [RunWorker, StatusReader, RunOperations, ProductOperations, DeliveryOperations];
  for (const type of [...types, AuditOperations, WriteBackOperations, PlanOperations])
    expect(module.get(type, { strict: false })).toBeInstanceOf(type);
  expect(module.get(RowWorkPort, { strict: false })).toBeInstanceOf(DirectRowWork);
  expect(isPresent(() => module.get(StoreWebhookController, { strict: false }))).toBe(false);
});

describe('the container of the daemon', () => {
  it('resolves controllers, processors, pages and schedules', async () => {
    const module = await made(daemonOf(settings({ adminToken: ADMIN_TOKEN }, 'https://hooks.example.com/x')));
    for (const type of [RunWorker, Reconciler, StoreWebhookController, Sessions, Announcer, RowWorkPort])
      expect(module.get(type, { strict: false })).toBeInstanceOf(Object);
  });

  it('has no interceptor of all routes, which each delivery would pay for', async () => {
    const module = await made(daemonOf(settings({ adminToken: ADMIN_TOKEN })));
    const tokens = [...module.get(ModulesContainer).values()].flatMap(({ providers }) =>
      [...providers.keys()].map(String),
    );
    expect(tokens.some((token) => token.startsWith(APP_FILTER))).toBe(true);
    expect(tokens.filter((token) => token.startsWith(APP_INTERCEPTOR))).toEqual([]);
  });

  it('has no sessions without an admin token, and no announcer without an address', async () => {
    const module = await made(daemonOf(settings()));
    expect(() => module.get(Sessions, { strict: false })).toThrow();
    expect(() => module.get(Announcer, { strict: false })).toThrow();
  });

  it.each<[ProcessRole, readonly Type[]]>([
    ['receive', [StoreWebhookController]],
    ['work', [Reconciler, ProcessorCheck]],
    ['admin', [Sessions, BearerAuthentication]],
  ])('of the role %s has its parts alone', async (role, own) => {
    const module = await made(daemonOf(settings({ adminToken: ADMIN_TOKEN, roles: [role] })));
    const parts = [StoreWebhookController, Reconciler, ProcessorCheck, Sessions, BearerAuthentication];
    const present = parts.filter((type) => isPresent(() => module.get<unknown>(type, { strict: false })));
    expect(present).toEqual(own);
    expect(module.get(HealthController, { strict: false })).toBeInstanceOf(HealthController);
  });
});

const daemonOf = (given: ReturnType<typeof settings>) => AppModule.of(daemonParts(given));

function isPresent(look: () => unknown): boolean {
  try {
    return look() !== undefined;
  } catch {
    return false;
  }
}
