import { beforeEach, expect, it } from '@jest/globals';
import { Metrics } from '../../../src/observability/metrics/metrics.js';
import { WriteBacksProcessor } from '../../../src/write-back/write-backs.processor.js';
import { StatusRepository } from '../../../src/persistence/status.repository.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, resultOf } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';
import { samplesOf } from '../../support/metrics/samples.js';

const stages = await Stages.open();
beforeEach(async () => stages.reset());

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
  const samples = samplesOf(await metrics.text());
  expect(samples.get(`store_sync_write_back_conflicts_total{store="${STORE}"}`)).toBe(1);
  expect(samples.get('store_sync_write_backs_total{state="applied"}')).toBe(1);
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
  const samples = samplesOf(await metrics.text());
  const found = (gate: string) =>
    samples.get(`store_sync_gate_findings_total{gate="${gate}",store="${STORE}"}`);
  expect([found('forbid'), found('length')]).toEqual([2, 1]);
  expect((await new StatusRepository(stages.db).gated([STORE])).get(STORE)).toEqual({ forbid: 2, length: 1 });
  expect(await new StatusRepository(stages.db).held([STORE])).toEqual([
    { store: STORE, why: 'gate', count: 2 },
  ]);
});
