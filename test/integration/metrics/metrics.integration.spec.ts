import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../../src/observability/metrics/metrics.js';
import { StateGauges, type StateSources } from '../../../src/operations/state-gauges.js';
import { GaugeRepository } from '../../../src/persistence/gauge.repository.js';
import { NotificationRepository } from '../../../src/persistence/notification.repository.js';
import { StatusRepository } from '../../../src/persistence/status.repository.js';
import { WriteBacksProcessor } from '../../../src/write-back/write-backs.processor.js';
import { snapshot } from '../../support/fake-store.js';
import { ListeningDatabase } from '../../support/listening-database.js';
import { deliver, resultOf } from '../../support/results.js';
import { Stages, STORE, WORKSPACE } from '../../support/stages.js';
import { samplesOf } from '../../support/metrics/samples.js';

const stages = await Stages.open();
const gauges = new GaugeRepository(stages.db);
beforeEach(async () => stages.reset());

function watching(changes: Partial<StateSources> = {}): Metrics {
  const metrics = new Metrics();
  let clockMs = 0;
  const state = new StateGauges(metrics.registry, {
    backlog: () => gauges.backlog(),
    workspaces: () => gauges.workspaces([WORKSPACE]),
    stores: () => gauges.stores([STORE]),
    held: () => new StatusRepository(stages.db).held([STORE]),
    queues: () => Promise.resolve([{ queue: 'runs', state: 'waiting', count: 3 }]),
    lostJobs: () => new Map([['runs', 4]]),
    clockMs: () => (clockMs += 10_000),
    onFault: () => undefined,
    ...changes,
  });
  metrics.beforeText(() => state.refresh());
  return metrics;
}

async function samples(metrics = watching()): Promise<Map<string, number>> {
  return samplesOf(await metrics.text());
}

const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
const ROW = { store: STORE, workspace: WORKSPACE };

/** One row, of whose columns the defaults fill in the rest. */
async function row(table: string, values: Readonly<Record<string, string | number | Date>>): Promise<void> {
  const columns = Object.keys(values);
  await stages.db.affected(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_name, index) => `$${index + 1}`).join(', ')})`,
    Object.values(values),
  );
}

describe('the metrics of rows', () => {
  it('are none, not absent, where there is nothing', async () => {
    const found = await samples();
    for (const sample of ['rows="deliveries",state="received"', 'rows="runs",state="queued"'])
      expect(found.get(`store_sync_open_rows{${sample}}`)).toBe(0);
    expect(found.get(`store_sync_oldest_task_age_seconds{workspace="${WORKSPACE}"}`)).toBe(0);
    expect(found.get('store_sync_database_up')).toBe(1);
    expect(found.has(`store_sync_credits_remaining{workspace="${WORKSPACE}"}`)).toBe(false);
    expect(found.has(`store_sync_last_successful_run_timestamp_seconds{store="${STORE}"}`)).toBe(false);
  });

  it('show how many rows wait in each state, and the age of the oldest', async () => {
    const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    await stages.db.affected('UPDATE sync_run SET created_at = $1', [ago(50)]);
    for (const [state, count, seconds] of [
      ['received', 2, 100],
      ['parked', 1, 200],
      ['processed', 5, 9000],
    ] as const)
      for (let n = 0; n < count; n += 1)
        await row('webhook_delivery', {
          ...{ workspace: WORKSPACE, dedupe_key: `${state} ${n}`, via: 'webhook', raw_body: '' },
          ...{ state, received_at: ago(seconds) },
        });
    await row('sync_action', {
      ...{
        run_id: id,
        store: STORE,
        external_id: 'x',
        store_id: '1',
        label: 'x',
        kind: 'create',
        reason: 'x',
      },
      created_at: ago(300),
    });
    for (const state of ['ready', 'failed'])
      await row('write_back', {
        ...{ ...ROW, external_id: 'x', content_fingerprint: state, result_at: ago(0), intended: '[]' },
        ...{ state, created_at: ago(400) },
      });
    await row('generation_task', {
      ...{ ...ROW, external_id: 'x', catalog_id: '1', next_poll_at: ago(0), requested_at: ago(500) },
    });
    const found = await samples();
    for (const [labels, count, seconds] of [
      ['rows="runs",state="queued"', 1, 50],
      ['rows="deliveries",state="received"', 2, 100],
      ['rows="deliveries",state="parked"', 1, 200],
      ['rows="actions",state="planned"', 1, 300],
      ['rows="write_backs",state="ready"', 1, 400],
      ['rows="write_backs",state="failed"', 1, 400],
      ['rows="tasks",state="requested"', 1, 500],
    ] as const) {
      expect([labels, found.get(`store_sync_open_rows{${labels}}`)]).toEqual([labels, count]);
      const age = found.get(`store_sync_oldest_row_age_seconds{${labels}}`) ?? 0;
      expect(Math.abs(age - seconds)).toBeLessThan(20);
    }
    const taskAge = found.get(`store_sync_oldest_task_age_seconds{workspace="${WORKSPACE}"}`) ?? 0;
    expect(Math.abs(taskAge - 500)).toBeLessThan(20);
  });

  it('show workspaces: credits, pause, slot', async () => {
    await stages.state.reportCredits(WORKSPACE, 42.5, new Date());
    await stages.pauseCatalog('refused');
    await stages.state.reportWebhook(WORKSPACE, { state: 'foreign', detail: 'theirs' });
    const found = await samples();
    expect(found.get(`store_sync_credits_remaining{workspace="${WORKSPACE}"}`)).toBe(42.5);
    expect(found.get(`store_sync_workspace_paused{workspace="${WORKSPACE}"}`)).toBe(1);
    const slot = (state: string) =>
      found.get(`store_sync_webhook_slot{state="${state}",workspace="${WORKSPACE}"}`);
    expect(['ours', 'free', 'foreign', 'unknown'].map(slot)).toEqual([0, 0, 1, 0]);
    await stages.pauses.catalog.works(WORKSPACE, 'reads');
    expect((await samples()).get(`store_sync_workspace_paused{workspace="${WORKSPACE}"}`)).toBe(0);
  });

  it('show the pause of a store with its reason, as long as it lasts', async () => {
    const reason = { scope: 'everything', code: 'shop_unavailable', reason: 'frozen' } as const;
    await stages.pauses.store.pause(STORE, reason);
    const paused = `store_sync_store_paused{code="shop_unavailable",store="${STORE}"}`;
    expect((await samples()).get(paused)).toBe(1);
    await stages.pauses.store.works(STORE, 'reads');
    expect((await samples()).get(paused) ?? 0).toBe(0);
  });

  it('show stores: the last success, which a later failure keeps, and withheld identifiers', async () => {
    await stages.sync();
    const [run] = await stages.runs.latest(STORE, 1);
    await row('sync_run', { ...ROW, kind: 'full', trigger: 'command', state: 'failed', finished_at: ago(0) });
    await row('store_product', {
      ...{ ...ROW, external_id: 'x', store_id: '1', label: 'x', state: 'conflicted' },
      withheld: '[{"kind":"sku","value":"x","reason":"shared"}]',
    });
    const found = await samples();
    const seconds = found.get(`store_sync_last_successful_run_timestamp_seconds{store="${STORE}"}`) ?? 0;
    expect(seconds).toBeCloseTo((run?.finishedAt?.getTime() ?? 0) / 1000, 1);
    expect(found.get(`store_sync_products_conflicted{store="${STORE}"}`)).toBe(1);
  });
});

describe('the metrics of held write-backs', () => {
  it('show those of each reason, and none for the others', async () => {
    for (const n of [1, 2])
      await row('write_back', {
        ...{ ...ROW, external_id: 'x', content_fingerprint: String(n), result_at: ago(0), intended: '[]' },
        ...{ state: 'ready', capped_by: 'maxWritesPerDay' },
      });
    const found = await samples();
    const held = (why: string) => found.get(`store_sync_write_backs_held{store="${STORE}",why="${why}"}`);
    expect(['maxWritesPerDay', 'maxWritesPerRun', 'gate'].map(held)).toEqual([2, 0, 0]);
  });
});

describe('the metrics of a retired API version', () => {
  it('are one while the store serves another version, however often they are read, and zero afterwards', async () => {
    const metrics = watching();
    const shown = async () =>
      (await samples(metrics)).get(`store_sync_store_api_version_retired{store="${STORE}"}`);
    await stages.state.serves(STORE, '2027-01');
    expect([await shown(), await shown()]).toEqual([1, 1]);
    await stages.state.serves(STORE, null);
    expect(await shown()).toBe(0);
  });
});

describe('the metrics of queues', () => {
  it('show jobs by queue and state, and jobs that could not be enqueued', async () => {
    const found = await samples();
    expect(found.get('store_sync_queue_jobs{queue="runs",state="waiting"}')).toBe(3);
    expect(found.get('store_sync_jobs_lost_total{queue="runs"}')).toBe(4);
    expect(found.get('store_sync_queue_up')).toBe(1);
  });
});

describe('a scrape', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('down'))],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('is answered within seconds when the database %s, without what stands in it', async (_how, backlog) => {
    await stages.state.reportCredits(WORKSPACE, 1, new Date());
    let isDown = false;
    const metrics = watching({ backlog: () => (isDown ? backlog() : Promise.resolve([])) });
    expect((await samples(metrics)).get('store_sync_database_up')).toBe(1);
    isDown = true;
    const startedAt = performance.now();
    const found = await samples(metrics);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(found.get('store_sync_database_up')).toBe(0);
    expect([...found.keys()].filter((key) => /credits|open_rows|oldest/.test(key))).toEqual([]);
    expect(found.get('store_sync_queue_up')).toBe(1);
    expect(found.has('process_cpu_seconds_total')).toBe(true);
  });

  it('logs why a side could not be read', async () => {
    const faults: string[] = [];
    const metrics = watching({
      queues: () => Promise.reject(new Error('connection refused')),
      onFault: (side, error) => faults.push(`${side}: ${String(error)}`),
    });
    const found = await samples(metrics);
    expect(found.get('store_sync_queue_up')).toBe(0);
    expect(found.get('store_sync_database_up')).toBe(1);
    expect(faults).toEqual(['queue: Error: connection refused']);
  });

  it('reads at most once in five seconds', async () => {
    let looks = 0;
    let clockMs = 0;
    const metrics = watching({
      backlog: () => {
        looks += 1;
        return Promise.resolve([]);
      },
      clockMs: () => clockMs,
    });
    await Promise.all([metrics.text(), metrics.text()]);
    await metrics.text();
    expect(looks).toBe(1);
    clockMs = 5_001;
    await metrics.text();
    expect(looks).toBe(2);
  });
});

it('each read of every few seconds uses an index, however large the history has grown', async () => {
  const db = new ListeningDatabase(stages.db.dataSource);
  const reading = new GaugeRepository(db);
  await reading.backlog();
  await reading.workspaces([WORKSPACE]);
  await reading.stores([STORE]);
  await new StatusRepository(db).held([STORE]);
  const notifications = new NotificationRepository(db);
  await notifications.look({ stores: [STORE], workspaces: [WORKSPACE] }, () => []);
  expect(db.reads.length).toBe(7);
  const scans = (await db.plans()).flatMap(({ sql, lines }) =>
    lines.filter((line) => line.includes('Seq Scan')).map((line) => `${line.trim()} ← ${sql.slice(0, 60)}`),
  );
  expect(scans).toEqual([]);
});

it('fields that are left to the merchant are counted, and how their write-back ended', async () => {
  stages.store.put(snapshot(1));
  await stages.sync();
  const { writeBackId } = await deliver(stages, await resultOf(stages, 1));
  stages.store.edit('1', { title: 'The merchant’s own' });
  const metrics = new Metrics();
  const processor = new WriteBacksProcessor(stages.writer, stages.writeBacks, metrics);
  await processor.process({ data: { id: writeBackId } });
  // A second job for the same row finds nothing to do.
  await processor.process({ data: { id: writeBackId } });
  const counted = samplesOf(await metrics.text());
  expect(counted.get(`store_sync_write_back_conflicts_total{store="${STORE}"}`)).toBe(1);
  expect(counted.get('store_sync_write_backs_total{state="applied"}')).toBe(1);
});

it('the faults that gates find are counted by store and gate, and so is what waits because of them', async () => {
  const gates = { forbid: ['(?i)best price'], title: { maxLength: 20 } };
  stages.settings = { store: { writeBack: { gates } }, workspace: {} };
  stages.store.put(snapshot(1), snapshot(2));
  await stages.sync();
  const metrics = new Metrics();
  const processor = new WriteBacksProcessor(stages.writer, stages.writeBacks, metrics);
  for (const [id, name] of [
    [1, 'The best price of all lamps'],
    [2, 'The best price'],
  ] as const) {
    const { writeBackId } = await deliver(stages, await resultOf(stages, id, { name }));
    await processor.process({ data: { id: writeBackId } });
  }
  const counted = samplesOf(await metrics.text());
  const found = (gate: string) =>
    counted.get(`store_sync_gate_findings_total{gate="${gate}",store="${STORE}"}`);
  expect([found('forbid'), found('length')]).toEqual([2, 1]);
  expect((await new StatusRepository(stages.db).gated([STORE])).get(STORE)).toEqual({ forbid: 2, length: 1 });
  expect(await new StatusRepository(stages.db).held([STORE])).toEqual([
    { store: STORE, why: 'gate', count: 2 },
  ]);
});
