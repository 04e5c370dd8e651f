import { describe, expect, it } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { CommandModule } from './cli/command.module.js';
import { loadConfig } from './config/index.js';
import { DeliveryOperations } from './operations/deliveries.js';
import { Database } from './persistence/database.js';
import { Inbox } from './persistence/inbox.js';
import { SILENT_LOGGER } from './runtime/logger.js';
import { RunWorker } from './sync/run-worker.js';

const { config } = loadConfig({ configFile: undefined, env: {} });
const settings = { config, databaseUrl: 'postgres://nowhere.invalid/none', logger: SILENT_LOGGER };

describe('the container of a command', () => {
  it('resolves every class without a database', async () => {
    const module = await Test.createTestingModule({ imports: [CommandModule.forRoot(settings)] })
      .overrideProvider(Database)
      .useValue({})
      .overrideProvider(Inbox)
      .useValue({})
      .compile();
    expect(module.get(RunWorker, { strict: false })).toBeInstanceOf(RunWorker);
    expect(module.get(DeliveryOperations, { strict: false })).toBeInstanceOf(DeliveryOperations);
  });
});
