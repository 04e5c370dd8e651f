import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { CatalogClient } from '../../../src/catalog/client.js';
import { startCatalogSandbox, type RunningCatalogSandbox } from '../../../src/sandbox/catalog/index.js';
import { FaultProxy } from '../../support/fault-proxy.js';
import { snapshot } from '../../support/fake-store.js';
import { createTestDatabase } from '../../support/postgres.js';
import { receive, resultOf } from '../../support/results.js';
import { Schedulers } from '../../support/schedulers.js';
import { sqlRows } from '../../support/sql.js';
import { Stages, STORE } from '../../support/stages.js';
import { until } from '../../support/until.js';

const stages = await Stages.open();
let service: RunningCatalogSandbox;
let proxy: FaultProxy;
beforeAll(async () => {
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
  const slowPolls = () => proxy.requests.filter(({ fault }) => fault === 'latency').length;
  const schedulers = new Schedulers(stages);
  try {
    schedulers.scheduler(new Date()).start();
    // The first round is through; the polls are under way, and none of them is answered.
    await until('slow polls', () => slowPolls() > 0, 10_000);
    await sleep(300);

    const delivery = await receive(stages, await resultOf(stages, 1));
    // Changed since the watermark, so that the run has work besides what the events name.
    stages.store.put(...[2, 3].map((each) => snapshot(each, { updatedAt: stages.clock.now() })));
    await stages.db.affected(
      `INSERT INTO announced_product (external_id, store, store_id, announced_at)
       SELECT 'shopify:shop:' || id, $1, 'gid://shopify/Product/' || id, now() - interval '10 seconds'
       FROM generate_series(2, 3) AS id`,
      [STORE],
    );
    await until('the delivery', () => schedulers.enqueued.includes(`deliveries ${delivery}`), 15_000);
    const id = await until(
      'the run of the event',
      () => schedulers.enqueued.findLast((each) => each.startsWith('runs '))?.slice('runs '.length) ?? null,
      15_000,
    );
    const run = await Promise.race([stages.work(id), sleep(20_000)]);
    expect(run).toMatchObject({ trigger: 'event', state: 'succeeded', counts: { created: 2 } });
    // The polls are still not answered, and not one result came of them.
    expect(slowPolls()).toBeGreaterThan(0);
    expect(await sqlRows(stages.db, `SELECT id FROM webhook_delivery WHERE via = 'poll'`)).toEqual([]);
    expect(schedulers.logged.filter((line) => line.includes('failed'))).toEqual([]);
  } finally {
    schedulers.stop();
  }
}, 60_000);
