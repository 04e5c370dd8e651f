import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { CodedError } from '../../../src/domain/errors.js';
import { RunOperations } from '../../../src/operations/runs.js';
import { CreditRepository } from '../../../src/persistence/credit.repository.js';
import { ListingRepository } from '../../../src/persistence/listing.repository.js';
import { RunItemRepository, type RunOutcome } from '../../../src/persistence/run-item.repository.js';
import { Gate } from '../../support/call-script.js';
import { fakeIntervals } from '../../support/fake-intervals.js';
import { snapshot, withSku } from '../../support/fake-store.js';
import { Stages, STORE } from '../../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1), snapshot(2), snapshot(3));
  stages.catalog.requestsAtOnce = 1;
});
afterEach(() => {
  jest.useRealTimers();
});

const FIRST_PAGE = { limit: 50, offset: 0 };
const never = new AbortController().signal;

/** The use case as a command has it: it ends a run without a worker itself. */
function operations(): RunOperations {
  const { runs, actions, db, requests } = stages;
  return new RunOperations(
    ...([requests, runs, new RunItemRepository(db), actions, new ListingRepository(db)] as const),
    new CreditRepository(db),
    stages.owed,
    {
      deliveries: () => Promise.resolve(),
      writeBacks: () => Promise.resolve(),
      run: () => Promise.resolve(),
      bulkChange: () => Promise.resolve(),
      endRun: async (id) => {
        await stages.worker.work(id, never);
      },
    },
  );
}

async function requested(): Promise<string> {
  return (await stages.requests.request({ store: STORE, full: true, trigger: 'command' })).id;
}

async function itemsOf(
  id: string,
  outcome?: RunOutcome | 'sent',
  search?: string,
): Promise<[string, string][]> {
  const { items } = await operations().itemPage(id, { ...FIRST_PAGE, outcome, search });
  return items.map(({ label, reason }) => [label, reason]);
}

describe('a cancelled run', () => {
  it('that nobody works on ends at once, is no error, and is not tried again', async () => {
    const id = await requested();
    const run = await operations().cancel(id, 'anna');
    expect(run).toMatchObject({ status: 'failed', error: null, notes: ['cancelled by anna'] });
    expect(await stages.runs.get(id)).toMatchObject({
      retryAt: null,
      errorCode: 'cancelled',
      cancelledBy: 'anna',
    });
    expect(stages.store.script.calls).toEqual([]);
    expect(await stages.sync()).toMatchObject({ state: 'succeeded' });
  });

  it('stops at its worker’s next heartbeat, keeps what was sent, and owes the rest to the next run', async () => {
    stages.store.put(...Array.from({ length: 12 }, (_, index) => snapshot(index + 1)));
    const gate = new Gate();
    stages.catalog.script.before('upsertProduct', gate.hold);
    const id = await requested();
    fakeIntervals();
    const worked = stages.worker.work(id, never);
    await gate.reached;
    const heard = Promise.withResolvers<object | null>();
    const keepLease = stages.runs.keepLease.bind(stages.runs);
    stages.runs.keepLease = async (...lease) => {
      const kept = await keepLease(...lease);
      heard.resolve(kept);
      return kept;
    };
    await operations().cancel(id, 'anna');
    expect(await stages.runs.get(id)).toMatchObject({ state: 'running' });
    jest.advanceTimersByTime(6_000);
    expect(await heard.promise).toEqual({ cancelledBy: 'anna' });
    stages.runs.keepLease = keepLease;
    gate.open();
    const run = await worked;
    expect(run).toMatchObject({ state: 'partial', error: null, notes: ['cancelled by anna'], retryAt: null });
    const sent = stages.catalog.script.count('upsertProduct');
    expect(sent).toBeLessThanOrEqual(4);
    expect(run?.counts).toMatchObject({ created: sent, failed: 12 - sent, owed: 12 - sent });
    expect(await itemsOf(id, 'failed')).toContainEqual(['Product 9', 'the run ended before it was sent']);

    expect(await stages.sync({ full: false })).toMatchObject({
      state: 'succeeded',
      counts: { created: 12 - sent, owed: 0 },
    });
  });

  it('that was cancelled while it read the store sends nothing to the catalog', async () => {
    const gate = new Gate();
    stages.store.script.before('startExport', gate.hold);
    const id = await requested();
    const worked = stages.worker.work(id, never);
    await gate.reached;
    await operations().cancel(id, 'anna');
    gate.open();
    expect(await worked).toMatchObject({ state: 'failed', error: null, notes: ['cancelled by anna'] });
    expect(stages.catalog.script.count('upsertProduct')).toBe(0);
    expect(await stages.sync({ full: false })).toMatchObject({ state: 'succeeded', counts: { created: 3 } });
  });

  it('cancels the export that the store still prepares', async () => {
    const gate = new Gate();
    stages.store.exportStates = [{ status: 'running', objects: 1 }];
    stages.store.script.before('pollExport', gate.hold);
    const id = await requested();
    const first = stages.worker.work(id, AbortSignal.timeout(1));
    await gate.reached;
    gate.open();
    await first.catch(() => null);
    expect(await stages.runs.get(id)).toMatchObject({ state: 'queued', phase: 'extract' });
    await operations().cancel(id, 'anna');
    expect(stages.store.script.count('cancelExport')).toBe(1);
  });

  it('is cancelled once: later requests are refused with the reason', async () => {
    const id = await requested();
    await operations().cancel(id, 'anna');
    await expect(operations().cancel(id, 'ben')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has ended already: failed'),
    });
    await expect(operations().cancel('nope', 'ben')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('that waited to be tried again waits no longer', async () => {
    stages.store.script.before('startExport', () => {
      throw new CodedError('transient', 'the store is down');
    });
    const { id } = await stages.sync();
    expect((await stages.runs.get(id))?.retryAt).not.toBeNull();
    expect(await operations().cancel(id, 'anna')).toMatchObject({
      status: 'failed',
      notes: ['cancelled by anna'],
    });
    expect((await stages.runs.get(id))?.retryAt).toBeNull();
  });
});

describe('the account of a run', () => {
  it('lists each product by outcome with its reason', async () => {
    stages.catalog.script.before('upsertProduct', () => {
      throw new CodedError('invalid', 'refused', { fields: { name: ['Too long.'] } });
    });
    stages.store.put(withSku(snapshot(2), 'SKU-3'));
    const { id } = await stages.sync();
    const page = await operations().itemPage(id, FIRST_PAGE);
    expect(page.outcomes).toMatchObject({
      failed: 1,
      created: 2,
      conflicted: 2,
      owed: 1,
      generationRequested: 2,
    });
    expect(page.items[0]).toMatchObject({
      outcome: 'failed',
      label: 'Product 1',
      reason: 'refused; name: Too long.',
    });
    expect(page.total).toBe(8);
    const [conflict] = await itemsOf(id, 'conflicted');
    expect(conflict?.[1]).toMatch(/^SKU SKU-3 is also used by /);
    expect(await itemsOf(id, 'generationRequested')).toEqual([
      ['Product 2', 'content was requested; the result has not come yet'],
      ['Product 3', 'content was requested; the result has not come yet'],
    ]);
    expect(await itemsOf(id, 'owed')).toEqual([['Product 1', expect.stringMatching(/refused it: refused/)]]);
  });

  it('has what the run sent to the catalog, new and changed, as one list', async () => {
    await stages.sync();
    stages.store.edit('2', { title: 'Renamed' });
    stages.store.put(snapshot(4));
    const { id } = await stages.sync();
    const sent = await itemsOf(id, 'sent');
    expect(sent.map(([label]) => label)).toEqual(['Product 4', 'Renamed']);
    expect(sent).toEqual([...(await itemsOf(id, 'created')), ...(await itemsOf(id, 'updated'))]);
  });

  it('names products by their present titles', async () => {
    const { id } = await stages.sync();
    await stages.db.dataSource.query(
      `UPDATE store_product SET label = 'Product 2, renewed' WHERE label = 'Product 2'`,
    );
    expect((await itemsOf(id, 'created')).map(([label]) => label)).toContain('Product 2, renewed');
    expect(await itemsOf(id, 'created', 'renewed')).toHaveLength(1);
  });

  it('is searched by part of a title or id, or by a whole SKU, and takes a percent sign literally', async () => {
    const { id } = await stages.sync();
    expect(await itemsOf(id, 'created', 'oduct 2')).toHaveLength(1);
    expect(await itemsOf(id, 'created', 'SKU-3')).toEqual([['Product 3', expect.any(String)]]);
    expect(await itemsOf(id, 'created', '%')).toEqual([]);
    expect((await operations().itemPage(id, { ...FIRST_PAGE, search: 'oduct 2' })).outcomes.created).toBe(1);
  });

  it('keeps a failure after a later run took the product over', async () => {
    stages.catalog.script.before('upsertProduct', () => {
      throw new CodedError('invalid', 'refused');
    });
    const { id } = await stages.sync();
    await stages.sync();
    expect(await itemsOf(id, 'failed')).toEqual([['Product 1', 'refused']]);
    expect(await itemsOf(id, 'owed')).toEqual([]);
  });

  it('shows what each field was and is', async () => {
    await stages.sync();
    stages.store.edit('1', { title: 'Renamed' });
    const { id } = await stages.sync();
    const { externalId } = snapshot(1);
    const changes = await operations().changes(id, [externalId]);
    expect(changes.get(externalId)).toContainEqual({ field: 'name', before: 'Product 1', after: 'Renamed' });
  });

  it('has its steps in order, and no speed once it has ended', async () => {
    const { id } = await stages.sync();
    const run = await operations().show(id);
    expect(run.steps.map(({ step }) => step)).toEqual(['export', 'plan', 'apply', 'creations', 'generation']);
    expect(run.steps.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
    expect(await operations().progress(id)).toEqual({
      step: null,
      left: 0,
      settled: 3,
      planned: 3,
      perSecond: null,
      secondsLeft: null,
    });
  });

  it('says how fast it is while it runs, and how long it takes', async () => {
    const gate = new Gate();
    stages.catalog.script.before('upsertProduct', () => undefined);
    stages.catalog.script.before('upsertProduct', gate.hold);
    const id = await requested();
    const worked = stages.worker.work(id, never);
    await gate.reached;
    await stages.db.affected(
      `UPDATE sync_run SET steps = jsonb_build_array(jsonb_build_object('step', 'apply', 'startedAt', now() - interval '10 s'))`,
    );
    let progress = await operations().progress(id);
    for (let tries = 0; progress.settled === 0 && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      progress = await operations().progress(id);
    }
    expect(progress).toMatchObject({ settled: 1, planned: 3 });
    expect(progress.perSecond).toBeCloseTo(0.1, 1);
    expect(progress.secondsLeft).toBeGreaterThan(15);
    gate.open();
    await worked;
  });

  it('is a CSV file that no spreadsheet runs', async () => {
    stages.store.put(snapshot(1, { title: '=HYPERLINK("http://x")' }));
    const { id } = await stages.sync();
    const lines: string[] = [];
    for await (const piece of operations().csv(id, { outcome: 'created' })) lines.push(piece);
    const [head, first] = lines.join('').split('\r\n');
    expect(head).toBe('"outcome","external_id","title","kind","reason","fields","at"');
    expect(lines.join('')).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(first).toMatch(/^"created",/);
  });

  it('is followed by a run for the products that it left out', async () => {
    stages.catalog.script.before('upsertProduct', () => {
      throw new CodedError('invalid', 'refused');
    });
    const { id } = await stages.sync();
    const next = await operations().retry(id, { trigger: 'api' });
    expect(next).toMatchObject({ created: true });
    expect(await stages.work(next.id)).toMatchObject({
      kind: 'incremental',
      counts: { created: 1, failed: 0 },
    });
  });
});
