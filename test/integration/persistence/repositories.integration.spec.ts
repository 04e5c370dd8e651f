import { beforeEach, describe, expect, it } from '@jest/globals';
import { migrate, openDataSource, pendingMigrations } from '../../../src/persistence/data-source.js';
import { createTestDatabase } from '../../support/postgres.js';
import { snapshot } from '../../support/fake-store.js';
import { deliverNewer, receive, resultOf, storedDelivery } from '../../support/results.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());

const ours = snapshot(1).externalId;

describe('migrations', () => {
  it('are applied once by processes that start together, and again nothing is left to do', async () => {
    const database = await createTestDatabase();
    const { url } = database;
    const sources = await Promise.all([1, 2, 3].map(() => openDataSource({ url, poolSize: 3 })));
    expect(await pendingMigrations(sources[0]!)).toBeGreaterThan(0);
    const applied = await Promise.all(sources.map((source) => migrate(source)));
    expect(applied.filter((names) => names.length > 0)).toHaveLength(1);
    expect(await pendingMigrations(sources[0]!)).toBe(0);
    await Promise.all(sources.map((source) => source.destroy()));
    await database.drop();
  });

  it('say nothing of the password when the database cannot be reached', async () => {
    const url = 'postgres://someone:a-secret-word@127.0.0.1:1/nowhere';
    const error: unknown = await openDataSource({ url, poolSize: 1 }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'transient',
      message: expect.stringContaining('127.0.0.1:1/nowhere'),
    });
    expect(String(error)).not.toContain('a-secret-word');
  });
});

describe('the lease of a product', () => {
  beforeEach(async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
  });

  it('goes to one of thirty writers', async () => {
    const taken = await Promise.all(
      Array.from({ length: 30 }, (_each, index) => stages.links.takeForWriting(ours, `w${index}`)),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('is given back by its holder alone, and is free once it ran out', async () => {
    await stages.links.takeForWriting(ours, 'first');
    await stages.links.releaseFromWriting(ours, 'second');
    expect(await stages.links.takeForWriting(ours, 'second')).toBe(false);
    await stages.db.affected(`UPDATE store_product SET write_lease_until = now() - interval '1 second'`);
    expect(await stages.links.takeForWriting(ours, 'second')).toBe(true);
    await stages.links.keepForWriting(ours, 'first');
    await stages.links.releaseFromWriting(ours, 'first');
    expect(await stages.links.takeForWriting(ours, 'third')).toBe(false);
  });
});

describe('a task', () => {
  beforeEach(async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
  });

  it('is opened once by twenty who ask at once', async () => {
    const open = await stages.tasks.openFor(ours);
    await stages.tasks.settle(open!.id, { state: 'succeeded', settledBy: 'poll', reason: null });
    const link = await stages.link(1);
    const opened = await Promise.all(
      Array.from({ length: 20 }, () =>
        stages.tasks.open([link], { workspace: WORKSPACE, runId: null, firstPollMs: 1000, openMost: null }),
      ),
    );
    expect(opened.flat()).toHaveLength(1);
  });

  it('is settled once, whoever comes first', async () => {
    const { id } = (await stages.tasks.openFor(ours))!;
    const states = ['succeeded', 'failed', 'no_urls', 'abandoned'] as const;
    const settled = await Promise.all(
      states.map((state) => stages.tasks.settle(id, { state, settledBy: 'poll', reason: state })),
    );
    // A result may still settle an abandoned task; nothing else moves a settled task.
    const abandoned = settled[states.indexOf('abandoned')] === true ? 1 : 0;
    expect(settled).toContain(true);
    expect(settled.filter(Boolean).length - abandoned).toBeLessThanOrEqual(1);
    const row = await stages.tasks.get(id);
    await stages.tasks.settle(id, { state: 'abandoned', settledBy: 'poll', reason: 'late' });
    expect(await stages.tasks.get(id)).toEqual(row);
  });
});

describe('a result', () => {
  const intend = (deliveryId: string, content: string, version: string) =>
    stages.results.inOrder(ours, version, (transaction) =>
      stages.results.intend(
        {
          ...{ variant: null, arrived: [], runId: null, sources: [], creditsConsumed: null },
          ...{
            store: STORE,
            workspace: WORKSPACE,
            externalId: ours,
            deliveryId,
            contentFingerprint: content,
          },
          ...{ receivedAt: new Date(), askedAt: null, datedAt: null, state: 'ready', intended: [], seen: {} },
        },
        transaction,
      ),
    );
  const version = async (): Promise<string> => (await stages.results.standing(ours)).version;
  const id = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

  beforeEach(async () => {
    stages.store.put(snapshot(1));
    await stages.sync();
  });

  it('is intended once by twenty interpreters of its delivery', async () => {
    const before = await version();
    const intents = await Promise.all(Array.from({ length: 20 }, () => intend(id(1), 'a', before)));
    expect(intents.filter((intent) => intent !== null)).toHaveLength(1);
  });

  it('is not taken after one that is no longer the newest', async () => {
    const before = await version();
    expect(await intend(id(1), 'a', before)).not.toBeNull();
    expect(await intend(id(2), 'b', before)).toBeNull();
    const first = await version();
    expect(await intend(id(2), 'b', first)).not.toBeNull();
    expect(await intend(id(3), 'c', first)).toBeNull();
  });

  it('is not taken after a request has ended, or the catalog showed other content', async () => {
    const before = await version();
    const open = await stages.tasks.openFor(ours);
    await stages.tasks.settle(open!.id, { state: 'succeeded', settledBy: 'poll', reason: null });
    expect(await intend(id(1), 'a', before)).toBeNull();
    const ended = await version();
    await stages.links.sawCatalogFields(ours, { name: 'other' });
    expect(await intend(id(1), 'a', ended)).toBeNull();
  });

  it('that is the newest of twenty at once is the one that is left waiting', async () => {
    const deliveries: string[] = [];
    for (let index = 0; index < 20; index += 1)
      deliveries.push(
        await receive(stages, await resultOf(stages, 1, { taskId: `t-${index}`, name: `Text ${index}` })),
      );
    await stages.db.affected(
      `UPDATE webhook_delivery SET received_at = now() + array_position($1::uuid[], id) * interval '1 second'`,
      [deliveries],
    );
    const { interpreter } = stages;
    const shuffled = deliveries.map((_each, index) => deliveries[(index * 7) % 20] ?? '');
    await Promise.all(shuffled.map((delivery) => interpreter.interpret(delivery)));
    const waiting = (await stages.writeBacks.forProduct(ours)).filter((row) => row.state === 'ready');
    expect(waiting).toMatchObject([{ intended: [{ value: 'Text 19' }, {}] }]);
  });
});

describe('what is due of a side that does not answer', () => {
  it('waits, for a workspace: its deliveries, which count no attempt, but not one that is in work', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map((task) => receive(stages, { task: { id: task } })));
    const [inWork = '', ...waiting] = ids;
    await stages.deliveries.claim(inWork, 'worker');
    const before = await storedDelivery(stages, inWork);
    await stages.deliveries.putOff('another');
    expect(await stages.deliveries.due(10)).toHaveLength(2);
    await stages.deliveries.putOff(WORKSPACE);
    expect(await stages.deliveries.due(10)).toEqual([]);
    expect(await storedDelivery(stages, inWork)).toEqual(before);
    await stages.db.affected(
      `UPDATE webhook_delivery SET next_attempt_at = next_attempt_at - interval '31 s'`,
    );
    expect((await stages.deliveries.due(10)).sort()).toEqual(waiting.sort());
    for (const id of waiting) {
      const row = await storedDelivery(stages, id);
      expect(row).toMatchObject({ state: 'received', attempts: 0, crashCount: 0 });
    }
  });

  it('waits, for a store: its write-backs, which count no attempt, but not those that come later', async () => {
    for (const id of [1, 2]) stages.store.put(snapshot(id));
    await stages.sync();
    const ids = [await deliverNewer(stages), await deliverNewer(stages, { id: 2 })];
    await stages.writeBacks.putOff('another');
    expect(await stages.writeBacks.due(10)).toHaveLength(2);
    await stages.writeBacks.putOff(STORE);
    expect(await stages.writeBacks.due(10)).toEqual([]);
    const later = await deliverNewer(stages, { name: 'Newer' });
    expect(await stages.writeBacks.due(10)).toEqual([later]);
    await stages.db.affected(`UPDATE write_back SET next_attempt_at = next_attempt_at - interval '31 s'`);
    expect(await stages.writeBacks.due(10)).toEqual(expect.arrayContaining([ids[1]]));
    expect(await stages.writeBacks.get(ids[1] ?? '')).toMatchObject({ state: 'ready', attempts: 0 });
  });
});
