import { beforeEach, describe, expect, it } from '@jest/globals';
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

  it('leaves runs of a workspace to others that has its share of places', async () => {
    await due(STORE);
    expect(await workNext(['default'])).toBeNull();
    expect(await workNext(['another'])).toMatchObject({ state: 'succeeded' });
  });
});
