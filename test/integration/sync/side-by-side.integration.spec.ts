import { beforeEach, describe, expect, it } from '@jest/globals';
import { Shutdown } from '../../../src/runtime/shutdown.js';
import { RunsProcessor } from '../../../src/sync/runs.processor.js';
import { Gate } from '../../support/call-script.js';
import { otherSnapshot, snapshot } from '../../support/fake-store.js';
import { OTHER_STORE, Stages, STORE } from '../../support/stages.js';

const RUNNING = new AbortController().signal;

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.settings = { store: {}, workspace: { generation: { mode: 'off' } } };
  stages.store.put(snapshot(1));
  stages.otherStore.put(otherSnapshot(900, 'SKU-900'));
});

/** Works the run that is due longest. Null when none can begin. */
async function workNext(without: readonly string[] = []) {
  const claimed = await stages.worker.claimNext(without);
  return claimed === null ? null : stages.worker.workClaimed(claimed, RUNNING);
}

async function due(store: string): Promise<string> {
  return (await stages.requests.request({ store, full: true, trigger: 'schedule' })).id;
}

describe('a worker', () => {
  it('takes the run that is due longest, whichever job woke it', async () => {
    const first = await due(OTHER_STORE);
    const later = await due(STORE);
    expect(await workNext()).toMatchObject({ id: first });
    expect(await workNext()).toMatchObject({ id: later });
    expect(await workNext()).toBeNull();
  });

  it('never takes a run that another one has', async () => {
    await due(STORE);
    const worked = await Promise.all([workNext(), workNext()]);
    expect(worked.filter((each) => each !== null)).toHaveLength(1);
  });

  it('leaves runs of a workspace to others that has its share of places', async () => {
    await due(STORE);
    expect(await workNext(['default'])).toBeNull();
    expect(await workNext(['another'])).toMatchObject({ state: 'succeeded' });
  });
});

describe('the jobs of a process', () => {
  it('bring a run to its end while another one waits for its store', async () => {
    const processor = new RunsProcessor(stages.worker, new Shutdown(), stages.metrics);
    const gate = new Gate();
    stages.store.script.before('pollExport', () => gate.hold());
    const waiting = await due(STORE);
    const jobs = [processor.process()];
    await gate.reached;
    const other = await due(OTHER_STORE);
    await processor.process();
    expect(await stages.runs.get(other)).toMatchObject({ state: 'succeeded' });
    expect(await stages.runs.get(waiting)).toMatchObject({ state: 'running', operation: 'export-1' });
    gate.open();
    await Promise.all(jobs);
    expect(await stages.runs.get(waiting)).toMatchObject({ state: 'succeeded' });
  });
});
