import { beforeEach, describe, expect, it } from '@jest/globals';
import { isRecord } from '../../../src/runtime/untrusted-json.js';
import { SyncCosts } from '../../../src/operations/sync-cost.js';
import { HistoryRepository } from '../../../src/persistence/history.repository.js';
import { CreditRepository } from '../../../src/persistence/credit.repository.js';
import { refusal } from '../../support/fake-catalog.js';
import { otherSnapshot, snapshot } from '../../support/fake-store.js';
import { OTHER_STORE, Stages, STORE, WORKSPACE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(...[1, 2, 3, 4].map((id) => snapshot(id)));
});

const ours = (id: number): string => snapshot(id).externalId;
const signal = new AbortController().signal;

/** Links four products without asking for content. */
async function linkedOnly(): Promise<void> {
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
  await stages.sync();
  stages.settings = { store: {}, workspace: {} };
}

const configured = (generation: object): void => {
  stages.settings = { store: {}, workspace: { generation } };
};

const requestDue = (limit = 1000) =>
  stages.generation.requestDue(stages.connections.store(STORE), null, limit, signal);

function askedFor(): string[][] {
  return stages.catalog.script.calls
    .filter((call) => call.operation === 'generate')
    .map(({ args: [products] }) =>
      Array.isArray(products)
        ? products.map((each) => (isRecord(each) ? String(each['externalId']) : ''))
        : [],
    );
}

describe('the cost of a sync', () => {
  const costs = () =>
    new SyncCosts(
      ...([stages.links, new HistoryRepository(stages.db)] as const),
      ...([new CreditRepository(stages.db), stages.state, stages.tasks] as const),
    );
  const planned = (id: number, generation: boolean) => ({ externalId: ours(id), generation });

  it('counts the planned products that want content, and those that earlier runs left over, each once', async () => {
    await linkedOnly();
    const store = stages.connections.store(STORE);
    expect(await costs().estimate(store, [])).toMatchObject({ generations: 4, credits: null });
    expect(await costs().ofMissing(store)).toMatchObject({ generations: 4 });
    const cost = await costs().estimate(store, [planned(1, true), planned(2, false), planned(9, true)]);
    expect(cost).toMatchObject({ generations: 4, limitedBy: null });
  });

  it('takes the credits of one generation from the last results of the workspace', async () => {
    await linkedOnly();
    await stages.db.affected(
      `INSERT INTO write_back (store, workspace, external_id, content_fingerprint, result_at, state, intended, credits_consumed)
       SELECT 'main', $1, 'x' || n, 'x', now(), 'applied', '[]', n FROM generate_series(1, 3) AS n`,
      [WORKSPACE],
    );
    await stages.state.reportCredits(WORKSPACE, 7, stages.clock.now());
    expect(await costs().estimate(stages.connections.store(STORE), [])).toMatchObject({
      ...{ generations: 4, creditsEach: 2, credits: 8, creditsRemaining: 7 },
    });
  });
});

describe('a request for content', () => {
  it('is in the ledger before it is made', async () => {
    let ledger: Record<string, number> = {};
    stages.catalog.script.before('generate', async () => {
      ledger = await stages.tasks.countByState(STORE);
    });
    await stages.sync();
    expect(ledger).toEqual({ requested: 4 });
  });

  it.each(['before', 'after'] as const)(
    'of unknown outcome (%s it was heard) is not repeated, and its tasks stay open',
    async (moment) => {
      stages.catalog.script[moment]('generate', refusal('transient', { outcomeUnknown: true }));
      const run = await stages.sync();
      expect(run).toMatchObject({ state: 'partial', counts: { generationRequested: 4 } });
      expect(run.error).toContain('outcome unknown');
      await stages.sync();
      expect(stages.catalog.script.count('generate')).toBe(1);
      expect(await stages.tasks.openFor(ours(1))).toMatchObject({ answeredAt: null, taskId: null });
    },
  );

  it('that is not answered does not end the asking: the next batch goes on', async () => {
    configured({ batchSize: 1 });
    stages.catalog.script.before('generate', refusal('transient', { outcomeUnknown: true }));
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { generationRequested: 4 } });
    expect(run.error).toContain('outcome unknown for 1 product (');
    expect(stages.catalog.script.count('generate')).toBe(4);
  });

  it('ends after three in a row that were not answered: the service is down', async () => {
    configured({ batchSize: 1 });
    stages.catalog.script.before('generate', refusal('transient', { outcomeUnknown: true }), 10);
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'partial', counts: { generationRequested: 3 } });
    expect(stages.catalog.script.count('generate')).toBe(3);
  });

  it('that was certainly not heard leaves its products due, and the run is tried again', async () => {
    stages.catalog.script.before('generate', refusal('throttled', { retryAfterMs: 60_000 }));
    const run = await stages.sync();
    expect(run).toMatchObject({
      state: 'partial',
      errorCode: 'transient',
      counts: { generationRequested: 0 },
    });
    expect(run.retryAt!.getTime() - run.finishedAt!.getTime()).toBeGreaterThanOrEqual(60_000);
    expect(await stages.tasks.countByState(STORE)).toEqual({});
    await stages.db.affected('UPDATE sync_run SET retry_at = now()');
    expect(await stages.runs.requeueDue()).toEqual([run.id]);
    expect(await stages.work(run.id)).toMatchObject({
      ...{ state: 'succeeded', error: null, retryAt: null },
      counts: { created: 4, generationRequested: 4 },
    });
  });

  it('reports how many of the due products were requested so far, at most as many as it may request', async () => {
    await linkedOnly();
    configured({ batchSize: 2 });
    const reported: [number, number][] = [];
    await stages.generation.requestDue(stages.connections.store(STORE), null, 3, signal, (...report) =>
      reported.push(report),
    );
    expect(reported).toEqual([
      [2, 3],
      [3, 3],
    ]);
  });

  it('is not made for a product whose task is open', async () => {
    await stages.sync();
    await stages.links.generationDueAgain(ours(1));
    expect(await requestDue()).toEqual({ requested: 0, stopped: null });
    const products = await Promise.all([1, 2].map((id) => stages.link(id)));
    expect(
      await stages.generation.requestGiven(stages.connections.store(STORE), products, signal),
    ).toMatchObject({
      requested: 0,
    });
    expect(stages.catalog.script.count('generate')).toBe(1);
  });

  it('is made once for each product by ten replicas at once', async () => {
    await linkedOnly();
    await Promise.all(Array.from({ length: 10 }, () => requestDue()));
    expect(askedFor().flat().sort()).toEqual([1, 2, 3, 4].map(ours));
  });

  it('keeps the service’s task ids by product', async () => {
    await stages.sync();
    const tasks = await Promise.all([1, 2, 3, 4].map((id) => stages.tasks.openFor(ours(id))));
    expect(new Set(tasks.map((task) => task?.taskId)).size).toBe(4);
    expect(tasks).toMatchObject(tasks.map(() => ({ taskIsShared: false, answeredAt: expect.any(Date) })));
  });

  it('keeps a task id that stands for all as shared', async () => {
    stages.catalog.taskIds = 'shared';
    await stages.sync();
    expect(await stages.tasks.openFor(ours(3))).toMatchObject({ taskId: 'task-1', taskIsShared: true });
  });

  it('for one product alone has an id of its own, which a delivery may yet answer under another', async () => {
    stages.catalog.taskIds = 'shared';
    configured({ batchSize: 1 });
    await stages.sync();
    const tasks = await Promise.all([1, 2, 3, 4].map((id) => stages.tasks.openFor(ours(id))));
    expect(new Set(tasks.map((task) => task?.taskId)).size).toBe(4);
    // The answer named the request, not the product: the product's own task may bear another id.
    expect(tasks.every((task) => task?.taskIsShared)).toBe(true);
  });

  it('counts also when its answer names no task', async () => {
    stages.catalog.taskIds = 'none';
    await stages.sync();
    expect(await stages.tasks.openFor(ours(1))).toMatchObject({ taskId: null, answeredAt: expect.any(Date) });
  });
});

describe('a refusal', () => {
  it('of one product is narrowed down, and the others are asked for', async () => {
    await linkedOnly();
    const { catalogId } = await stages.link(3);
    const generate = stages.catalog.generate.bind(stages.catalog);
    stages.catalog.generate = async (products) => {
      if (products.some((product) => String(product.id) === catalogId))
        stages.catalog.script.before('generate', refusal('invalid', { fields: { product_ids: ['No.'] } }));
      return generate(products);
    };
    expect(await requestDue()).toMatchObject({ requested: 3 });
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 3, failed: 1 });
    expect(await stages.tasks.newest(ours(3))).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('product_ids: No.'),
    });
    expect(await requestDue()).toEqual({ requested: 0, stopped: null });
  });

  it('that is narrowed down looks once at a product that belongs to somebody else by now', async () => {
    await linkedOnly();
    const [refused, theirs] = [await stages.link(3), await stages.link(4)];
    stages.catalog.change(Number(theirs.catalogId), { external_id: 'erp:4' });
    const generate = stages.catalog.generate.bind(stages.catalog);
    stages.catalog.generate = async (products) => {
      if (products.some((product) => String(product.id) === refused.catalogId))
        stages.catalog.script.before('generate', refusal('invalid', { fields: { product_ids: ['No.'] } }));
      return generate(products);
    };
    expect(await requestDue()).toMatchObject({ requested: 2 });
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 2, failed: 2 });
  });

  it('of one product does not end the asking where requests take one product each', async () => {
    await linkedOnly();
    stages.catalog.batchLimit = 1;
    stages.catalog.script.before('generate', refusal('invalid'));
    expect(await requestDue()).toMatchObject({ requested: 3 });
    expect(await stages.tasks.countByState(STORE)).toEqual({ requested: 3, failed: 1 });
  });
});

describe('a call that is refused as a whole', () => {
  it.each<[string, () => never]>([
    ['405', refusal('misconfigured', { status: 405 })],
    [
      '400 with another field',
      refusal('invalid', { status: 400, fields: { ids: ['This field is required.'] } }),
    ],
  ])(
    'by %s leaves its products due until the setting is corrected, and the run says which',
    async (_what, refuse) => {
      stages.catalog.script.before('generate', refuse, 100);
      const run = await stages.sync();
      expect(run).toMatchObject({
        state: 'partial',
        counts: { created: 4, failed: 0, generationRequested: 0 },
      });
      expect(run.error).toContain(`check workspaces.${WORKSPACE}.generation.request`);
      expect(await stages.tasks.countByState(STORE)).toEqual({});
      stages.catalog.script.reset();
      expect(await stages.sync()).toMatchObject({ state: 'succeeded', counts: { generationRequested: 4 } });
    },
  );

  it.each([1, 3])('for single products is no product’s fault, however few there are (%d)', async (count) => {
    for (const id of [1, 2, 3, 4].slice(count)) stages.store.products.delete(String(id));
    configured({ batchSize: 1 });
    stages.catalog.script.before('generate', refusal('invalid', { status: 400 }), 100);
    expect(await stages.sync()).toMatchObject({ state: 'partial', counts: { created: count } });
    expect(await stages.tasks.countByState(STORE)).toEqual({});
    expect(await stages.links.countGenerationDue(STORE, [])).toBe(count);
  });
});

describe('brakes', () => {
  it('are generation.maxPerRun: the rest waits for the next run', async () => {
    configured({ maxPerRun: 3, batchSize: 2 });
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', counts: { generationRequested: 3 } });
    expect(run).toMatchObject({ error: null });
    expect(run.notes.join()).toContain('generation.maxPerRun (3) reached');
    expect(askedFor().map((products) => products.length)).toEqual([2, 1]);
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 1 });
  });

  it('are generation.maxPerRun also for a run that is resumed or tried again', async () => {
    configured({ maxPerRun: 3, batchSize: 2 });
    const run = await stages.sync();
    await stages.db.affected(`UPDATE sync_run SET state = 'queued', phase = 'apply' WHERE id = $1`, [run.id]);
    expect(await stages.work(run.id)).toMatchObject({ id: run.id, counts: { generationRequested: 3 } });
    expect(askedFor().flat()).toHaveLength(3);
  });

  it('are the credits that the service last reported', async () => {
    configured({ minCreditsRemaining: 10 });
    await stages.state.reportCredits(WORKSPACE, 9, new Date());
    const run = await stages.sync();
    expect(run).toMatchObject({ counts: { created: 4, generationRequested: 0 } });
    expect(run).toMatchObject({ error: null });
    expect(run.notes.join()).toContain('9 credits remain');
    await stages.state.reportCredits(WORKSPACE, 14, new Date());
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 4 });
  });

  it('are those credits less what open requests will cost, as earlier results did', async () => {
    configured({ minCreditsRemaining: 5 });
    await stages.state.reportCredits(WORKSPACE, 10, new Date());
    stages.store.put(...Array.from({ length: 40 }, (_each, index) => snapshot(index + 1)));
    const run = await stages.sync();
    expect(run).toMatchObject({ state: 'succeeded', error: null, counts: { generationRequested: 5 } });
    expect(run.notes.join()).toContain('10 credits remain, 5 requests are open');
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 0 });
    // Two of them ended, and cost three credits each.
    const tasks = await Promise.all(
      Array.from({ length: 40 }, async (_each, index) => stages.tasks.openFor(ours(index + 1))),
    );
    const open = tasks.filter((task) => task !== null);
    expect(open).toHaveLength(5);
    for (const { id } of open.slice(0, 2))
      await stages.tasks.settle(id, { state: 'succeeded', settledBy: 'webhook', reason: null });
    await stages.db.affected(
      `INSERT INTO write_back (store, workspace, external_id, content_fingerprint, result_at, state, intended, credits_consumed)
       SELECT 'main', $1, 'x' || n, 'x', now(), 'applied', '[]', 3 FROM generate_series(1, 2) AS n`,
      [WORKSPACE],
    );
    await stages.state.reportCredits(WORKSPACE, 20, new Date());
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 2 });
  });

  it('are those credits for all stores of the workspace, also where two ask at once', async () => {
    configured({ minCreditsRemaining: 10 });
    await stages.state.reportCredits(WORKSPACE, 14, new Date());
    stages.otherStore.put(...[5, 6, 7, 8].map((id) => otherSnapshot(id, `OTHER-${String(id)}`)));
    const runs = await Promise.all([stages.sync(), stages.sync({ store: OTHER_STORE })]);
    expect(runs.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
    expect(askedFor().flat()).toHaveLength(4);
  });

  it('are looked at again with one product a night, and all is asked for once there are enough', async () => {
    configured({ minCreditsRemaining: 10 });
    await stages.state.reportCredits(WORKSPACE, 9, new Date(Date.now() - 21 * 3_600_000));
    const night = await stages.sync();
    expect(night).toMatchObject({ counts: { created: 4, generationRequested: 1 } });
    expect(night.notes.join()).toMatch(/9 credits remain.*one product was asked for/);
    const again = await stages.sync();
    expect(again).toMatchObject({ counts: { generationRequested: 0 } });
    expect(again.notes.join()).not.toContain('one product');
    await stages.state.reportCredits(WORKSPACE, 500, new Date());
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 3 });
  });

  it('are felt between one request and the next', async () => {
    configured({ minCreditsRemaining: 10, batchSize: 2 });
    stages.catalog.script.after('generate', () => stages.state.reportCredits(WORKSPACE, 1, new Date()));
    expect((await stages.sync()).counts).toMatchObject({ generationRequested: 2 });
  });

  it('are generation.mode off: nothing is asked, and nothing is wrong', async () => {
    configured({ mode: 'off' });
    expect(await stages.sync()).toMatchObject({ state: 'succeeded', error: null });
    expect(stages.catalog.script.count('generate')).toBe(0);
  });
});

it('a locale that leaves the configuration asks for no content', async () => {
  const write = (...locales: string[]): void => {
    stages.settings = { store: { writeBack: { locales } }, workspace: {} };
    stages.store.sourceLocales = locales;
  };
  write('fr', 'de');
  for (const locale of ['fr', 'de'])
    for (const id of [1, 2]) stages.store.translate(String(id), `${locale}:title`, `Titre ${locale} ${id}`);
  expect((await stages.sync()).counts).toMatchObject({ created: 4, generationRequested: 4 });
  await stages.db.affected(`UPDATE generation_task SET state = 'succeeded', settled_at = now()`);
  write('fr');
  expect((await stages.sync()).counts).toMatchObject({ failed: 0, generationRequested: 0 });
  write();
  expect((await stages.sync()).counts).toMatchObject({ failed: 0, generationRequested: 0 });
  expect(askedFor().flat()).toHaveLength(4);
});
