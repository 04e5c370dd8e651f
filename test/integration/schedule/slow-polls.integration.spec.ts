import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { CatalogClient } from '../../../src/catalog/client.js';
import { startCatalogSandbox, type RunningCatalogSandbox } from '../../../src/sandbox/catalog/index.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { snapshot } from '../../support/fake-store.js';
import { createTestDatabase } from '../../support/postgres.js';
import { receive, resultOf } from '../../support/results.js';
import { Schedulers } from '../../support/schedulers.js';
import { Stages } from '../../support/stages.js';

let stages: Stages;
let service: RunningCatalogSandbox;
let proxy: FaultProxy;
beforeAll(async () => {
  stages = await Stages.open();
  service = await startCatalogSandbox({ databaseUrl: (await createTestDatabase()).url });
});
beforeEach(async () => {
  await stages.reset();
  proxy = await FaultProxy.start(service.baseUrl);
});
afterEach(async () => {
  stages.client?.close();
  await proxy.stop();
});
afterAll(async () => {
  await service.stop();
  await stages.close();
});

const POLLS = 500;
/** No answer comes while the test runs. */
const SLOW_MS = 60_000;

it('500 polls that a slow service does not answer hold back no run, no delivery and no event', async () => {
  const { token } = await service.issueApiToken('slow polls');
  stages.client = new CatalogClient({
    baseUrl: proxy.url,
    auth: { apiToken: token },
    requestsPerSecond: 1000,
    concurrency: 8,
  });
  stages.store.put(snapshot(1));
  await stages.sync();
  // SQL: as many open tasks as a large store has, all due.
  await stages.db.affected(
    `INSERT INTO generation_task (workspace, store, external_id, catalog_id, task_id, state, next_poll_at)
     SELECT workspace, store, external_id || ':' || number, catalog_id, 'task-' || number, 'requested', now()
     FROM generation_task, generate_series(1, $1) AS number LIMIT $1`,
    [POLLS],
  );
  proxy.arm({ kind: 'latency', ms: SLOW_MS }, { path: /background-tasks/, count: 1_000 });
  const schedulers = new Schedulers(stages);
  let polled = false;
  const polls = schedulers
    .reconciler()
    .poll(stages.sites.workspaces[0]!)
    .then(() => {
      polled = true;
    });
  await sleep(300);

  const delivery = await receive(stages, await resultOf(stages, 1));
  await schedulers.reconciler().sweep();
  expect(schedulers.enqueued).toContain(`deliveries ${delivery}`);
  stages.store.put(snapshot(2), snapshot(3));
  const run = await Promise.race([stages.sync(), sleep(20_000)]);
  expect(run).toMatchObject({ state: 'succeeded', counts: { created: 2 } });
  expect(polled).toBe(false);
  stages.client.close();
  await polls;
}, 60_000);
