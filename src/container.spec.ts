import { describe, expect, it } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { pino } from 'pino';
import { CommandModule } from './cli/command.module.js';
import { loadConfig } from './config/index.js';
import { DaemonModule } from './daemon.module.js';
import { Sessions } from './dashboard/session.js';
import { Announcer } from './notifications/announcer.js';
import { RowWorkPort } from './operations/ports.js';
import { PlanOperations } from './operations/plans.js';
import { Database } from './persistence/database.js';
import { Inbox } from './persistence/inbox.js';
import { QUEUE_BACKEND, QUEUE_NAMES } from './queue/index.js';
import { Reconciler } from './schedule/reconciler.js';
import { RunWorker } from './sync/run-worker.js';
import { StoreWebhookController } from './webhooks/store-webhook.controller.js';

const ADMIN_TOKEN = 'a-token-of-at-least-32-characters-x';

function settings(server: Readonly<Record<string, string>> = {}, webhookUrl?: string) {
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

/** Everything is made for real, but for what would connect to a server. */
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

async function made(root: ReturnType<typeof DaemonModule.forRoot>) {
  return unconnected(Test.createTestingModule({ imports: [root] })).compile();
}

describe('the container of a command', () => {
  it('resolves what a command asks for', async () => {
    const module = await made(CommandModule.forRoot(settings(), PlanOperations));
    for (const type of [RunWorker, PlanOperations, RowWorkPort])
      expect(module.get(type, { strict: false })).toBeInstanceOf(Object);
  });
});

describe('the container of the daemon', () => {
  it('resolves controllers, processors, pages and schedules', async () => {
    const module = await made(
      DaemonModule.forRoot(settings({ adminToken: ADMIN_TOKEN }, 'https://hooks.example.com/x')),
    );
    for (const type of [RunWorker, Reconciler, StoreWebhookController, Sessions, Announcer, RowWorkPort])
      expect(module.get(type, { strict: false })).toBeInstanceOf(Object);
  });

  it('has no sessions without an admin token, and no announcer without an address', async () => {
    const module = await made(DaemonModule.forRoot(settings()));
    expect(() => module.get(Sessions, { strict: false })).toThrow();
    expect(() => module.get(Announcer, { strict: false })).toThrow();
  });
});
