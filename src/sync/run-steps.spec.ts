import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { StepStart } from '../persistence/entities/sync-run.entity.js';
import { RunSteps } from './run-steps.js';

const AT = new Date('2026-11-20T02:00:00Z');
const CLOCK = { now: () => AT };
const started = (step: StepStart['step']): StepStart => ({ step, startedAt: AT.toISOString() });

describe('the steps of a run', () => {
  const saved: (readonly StepStart[])[] = [];
  const save = (steps: readonly StepStart[]): Promise<void> => {
    saved.push(steps);
    return Promise.resolve();
  };

  beforeEach(() => {
    saved.length = 0;
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are written a second after the first that is new, all at once', async () => {
    const steps = new RunSteps([started('export')], CLOCK, save);
    steps.enter('plan');
    await jest.advanceTimersByTimeAsync(900);
    steps.enter('apply');
    expect(saved).toEqual([]);
    await jest.advanceTimersByTimeAsync(100);
    expect(saved).toEqual([[started('export'), started('plan'), started('apply')]]);
    steps.enter('creations');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(saved).toHaveLength(2);
  });

  it('take no statement when the run ends within the second', async () => {
    const steps = new RunSteps([], CLOCK, save);
    steps.enter('export');
    steps.end();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(saved).toEqual([]);
    expect(steps.all).toEqual([started('export')]);
  });

  it('are written at once, and once, when the run is given back', async () => {
    const steps = new RunSteps([], CLOCK, save);
    await steps.write();
    steps.enter('export');
    await steps.write();
    await steps.write();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(saved).toEqual([[started('export')]]);
  });

  it('are written one list after the other, so that an older one never comes last', async () => {
    const first = Promise.withResolvers<undefined>();
    const steps = new RunSteps([], CLOCK, async (all) => {
      if (all.length === 1) await first.promise;
      await save(all);
    });
    steps.enter('export');
    await jest.advanceTimersByTimeAsync(1_000);
    steps.enter('plan');
    const written = steps.write();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(saved).toEqual([]);
    first.resolve(undefined);
    await written;
    expect(saved).toEqual([[started('export')], [started('export'), started('plan')]]);
  });

  it('are written again after a write that failed', async () => {
    let isAway = true;
    const steps = new RunSteps([], CLOCK, (all) =>
      isAway ? Promise.reject(new Error('no answer')) : save(all),
    );
    steps.enter('export');
    await jest.advanceTimersByTimeAsync(1_000);
    isAway = false;
    await steps.write();
    expect(saved).toEqual([[started('export')]]);
  });

  it('are the newest sixty', () => {
    const steps = new RunSteps([started('export')], CLOCK, save);
    for (let times = 0; times < 60; times += 1) steps.enter('plan');
    expect(steps.all).toHaveLength(60);
    expect(steps.all).not.toContainEqual(started('export'));
    steps.end();
  });
});
