import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Metrics } from '../../../src/observability/metrics/metrics.js';
import { WriteBacksProcessor } from '../../../src/write-back/write-backs.processor.js';
import { snapshot } from '../../support/fake-store.js';
import { deliver, resultOf } from '../../support/results.js';
import { Stages, STORE } from '../../support/stages.js';
import { samplesOf } from '../../support/metrics/samples.js';

let stages: Stages;
beforeAll(async () => {
  stages = await Stages.open();
  await stages.reset();
});
afterAll(async () => stages.close());

it('fields that are left to the merchant are counted, and how their write-back ended', async () => {
  stages.store.put(snapshot(1));
  await stages.sync();
  const { writeBackId } = await deliver(stages, await resultOf(stages, 1));
  stages.store.edit('1', { title: 'The merchant’s own' });
  const metrics = new Metrics();
  const processor = new WriteBacksProcessor(stages.writer, metrics);
  await processor.process({ data: { id: writeBackId } });
  // A second job for the same row finds nothing to do.
  await processor.process({ data: { id: writeBackId } });
  const samples = samplesOf(await metrics.text());
  expect(samples.get(`store_sync_write_back_conflicts_total{store="${STORE}"}`)).toBe(1);
  expect(samples.get('store_sync_write_backs_total{state="applied"}')).toBe(1);
});
