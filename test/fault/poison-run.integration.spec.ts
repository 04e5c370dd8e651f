import { beforeEach, describe, expect, it } from '@jest/globals';
import { Plan } from '../../src/persistence/plan.js';
import { snapshot } from '../support/fake-store.js';
import { Stages, STORE, WORKSPACE } from '../support/stages.js';

const stages = await Stages.open();
beforeEach(async () => {
  await stages.reset();
  stages.store.put(snapshot(1));
});

/** So many workers took the run and died. */
async function runThatKilled(workers: number): Promise<string> {
  const { id } = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
  for (let count = 1; count <= workers; count += 1) {
    expect(await stages.runs.claim(id, `worker ${String(count)}`)).toMatchObject({
      crashCount: count,
    });
    await stages.expireLease(id);
  }
  return id;
}

describe('a run that kills its workers', () => {
  it('is still resumed by the tenth', async () => {
    const id = await runThatKilled(9);
    expect(await stages.work(id)).toMatchObject({ state: 'succeeded', crashCount: 0 });
  });

  it('is given up after ten, and the next run starts again', async () => {
    const id = await runThatKilled(10);
    expect(await stages.work(id)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('never ended'),
      retryAt: null,
    });
    expect(stages.store.script.count('startExport')).toBe(0);
    const next = await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    expect(next).toMatchObject({ created: true });
    expect(await stages.work(next.id)).toMatchObject({ state: 'succeeded' });
  });

  it('is taken again at once after two deaths', async () => {
    const id = await runThatKilled(2);
    await stages.expireLease(id, 1);
    expect(await stages.runs.claimNext('third', [STORE])).toMatchObject({ id });
  });

  it.each([
    [3, 30],
    [6, 240],
    [9, 1_920],
  ])('after %i deaths is taken again once %i s have passed', async (workers, pauseSeconds) => {
    const id = await runThatKilled(workers);
    await stages.expireLease(id, pauseSeconds - 5);
    expect(await stages.runs.claim(id, 'early')).toBeNull();
    await stages.expireLease(id, pauseSeconds + 5);
    expect(await stages.runs.claimNext('late', [STORE])).toMatchObject({ id });
  });

  it('waits as long where its worker lived and had no database, and ends at once when it is cancelled', async () => {
    const id = await runThatKilled(2);
    await stages.runs.claim(id, 'third');
    await stages.runs.handBack(id, 'third', true);
    expect(await stages.runs.claim(id, 'early')).toBeNull();
    await stages.runs.requestCancel(id, 'ada');
    expect(await stages.work(id)).toMatchObject({ cancelledBy: 'ada', state: 'failed' });
  });

  it.each([
    ['ends its pause for a person with a', 'command', true],
    ['ends its pause for a person with the', 'api', true],
    ['keeps its pause when it is asked for by an', 'event', false],
  ] as const)('%s %s', async (_rule, trigger, goesOn) => {
    const id = await runThatKilled(3);
    await stages.expireLease(id, 1);
    const joined = await stages.requests.request({ store: STORE, full: true, trigger });
    expect(joined).toMatchObject({ id, created: false });
    const claimed = await stages.runs.claim(id, 'fourth');
    expect(claimed?.crashCount).toBe(goesOn ? 4 : undefined);
  });

  it('ends its pause for a person also where its worker handed it back without a database', async () => {
    const id = await runThatKilled(2);
    await stages.runs.claim(id, 'third');
    await stages.runs.handBack(id, 'third', true);
    await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    expect(await stages.runs.claim(id, 'fourth')).toMatchObject({ id, crashCount: 4 });
  });

  it('keeps its worker when a person asks for it while the worker lives', async () => {
    const id = await runThatKilled(0);
    await stages.runs.claim(id, 'alive');
    await stages.requests.request({ store: STORE, full: true, trigger: 'command' });
    expect(await stages.runs.get(id)).toMatchObject({ state: 'running', lease: 'alive' });
  });

  it('begins its count again once it has made progress, and goes on counting while it makes none', async () => {
    const id = await runThatKilled(9);
    const claimed = async (worker: string) => {
      await stages.expireLease(id);
      return (await stages.runs.claim(id, worker))?.crashCount;
    };
    expect(await claimed('tenth')).toBe(10);
    await stages.runs.begin(id, 'tenth', '7');
    expect(await claimed('eleventh')).toBe(2);
    await stages.runs.begin(id, 'eleventh', '7');
    expect(await claimed('twelfth')).toBe(3);
  });

  it('begins its count again once its plan was stored', async () => {
    const id = await runThatKilled(9);
    await stages.runs.claim(id, 'tenth');
    const plan = await Plan.begin(stages.db, {
      ...{ id, store: STORE, workspace: WORKSPACE },
      ...{ lease: 'tenth', isDry: false },
    });
    const end = {
      full: true,
      scope: 'scope',
      incomplete: null,
      gone: [],
      notCompared: null,
      counts: {},
    };
    expect(await plan.commit(end)).toBe(true);
    expect(await stages.runs.get(id)).toMatchObject({ phase: 'apply', crashCount: 1 });
  });

  it('is not counted out by being handed on in order', async () => {
    const id = await runThatKilled(9);
    await stages.runs.claim(id, 'stopped');
    await stages.runs.release(id, 'stopped');
    expect(await stages.runs.claim(id, 'next')).toMatchObject({ crashCount: 1 });
  });
});
