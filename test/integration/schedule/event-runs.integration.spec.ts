import { beforeAll, expect, it } from '@jest/globals';
import { EVENT_RUNS_AN_HOUR } from '../../../src/persistence/owed.repository.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeAll(async () => {
  await stages.reset();
});

it('the events of a store start a limited number of runs an hour; those that come then wait', async () => {
  await stages.db.affected(
    `INSERT INTO announced_product (external_id, store, store_id, announced_at)
     VALUES ('shopify:shop:1', $1, 'gid://shopify/Product/1', now() - interval '1 minute')`,
    [STORE],
  );
  await stages.db.affected(
    `INSERT INTO sync_run (store, workspace, kind, trigger, state, created_at)
     SELECT $1, 'default', 'incremental', 'event', 'succeeded', now() - number * interval '1 second'
     FROM generate_series(1, $2) AS number`,
    [STORE, EVENT_RUNS_AN_HOUR],
  );
  expect(await stages.owed.storesAnnounced(0)).toEqual([]);
  await stages.db.affected(`UPDATE sync_run SET created_at = created_at - interval '59 minutes'`);
  expect(await stages.owed.storesAnnounced(0)).toEqual([STORE]);
});
