import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { shopIdentity } from '../../../src/domain/external-id.js';
import { Schedulers } from '../../support/schedulers.js';
import { OTHER_STORE, Stages, STORE } from '../../support/stages.js';

const SLOT = new Date('2026-11-20T02:00:00Z');

const stages = await Stages.open();
let schedulers: Schedulers;

beforeEach(async () => {
  await stages.reset();
  schedulers = new Schedulers(stages);
});
afterEach(() => {
  schedulers.stop();
});

const runs = () => stages.runs.latest(STORE, 20);

describe('a store whose rows are kept under another key by now', () => {
  beforeEach(async () => {
    const { kind, shop } = stages.connections.store(STORE).settings;
    await stages.db.affected('INSERT INTO store_state (store, identity) VALUES ($1, $2)', [
      'renamed',
      shopIdentity(kind, shop),
    ]);
  });

  it('keeps no other store from the runs of its events', async () => {
    await stages.db.affected(
      `INSERT INTO announced_product (external_id, store, store_id, announced_at)
       SELECT 'shopify:' || each || ':1', each, '1', now() - interval '1 minute' FROM unnest($1::text[]) AS each`,
      [[STORE, OTHER_STORE]],
    );
    await schedulers.schedules(SLOT).runEvents();
    expect(await stages.runs.latest(OTHER_STORE, 20)).toMatchObject([{ trigger: 'event' }]);
    expect(await runs()).toEqual([]);
    expect(schedulers.warned).toEqual([expect.stringContaining(`events of store ${STORE}`)]);
  });

  it('keeps no other store from the run of its slot that was put off', async () => {
    for (const store of [STORE, OTHER_STORE]) await stages.requests.putOffSlot(store, SLOT);
    await schedulers.schedules(SLOT).runPutOffSlots();
    expect(await stages.runs.latest(OTHER_STORE, 20)).toMatchObject([{ slot: SLOT }]);
    expect(await runs()).toEqual([]);
  });
});
