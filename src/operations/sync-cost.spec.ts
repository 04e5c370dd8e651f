import { describe, expect, it } from '@jest/globals';
import { costOf, type CostFacts } from './sync-cost.js';

const SETTINGS = { mode: 'auto', maxPerRun: 100, minCreditsRemaining: 0 } as const;
const cost = (over: Partial<CostFacts> = {}) =>
  costOf({ wanted: 10, settings: SETTINGS, creditsEach: 2, creditsRemaining: 50, open: 0, ...over });

describe('the cost of a sync', () => {
  it('is the generations that it would request, at the mean of the last results', () => {
    expect(cost()).toEqual({
      ...{ generations: 10, waiting: 0, limitedBy: null, creditsEach: 2, credits: 20 },
      creditsRemaining: 50,
    });
  });

  it('is unknown in credits before the first result', () => {
    expect(cost({ creditsEach: null })).toMatchObject({ generations: 10, credits: null });
  });

  it.each<[string, Partial<CostFacts['settings']>, number]>([
    ['maxPerRun', { maxPerRun: 4 }, 4],
    ['mode', { mode: 'off' }, 0],
    ['minCreditsRemaining', { minCreditsRemaining: 51 }, 0],
  ])('is bounded by generation.%s, which it names', (setting, over, generations) => {
    const limitedBy = `generation.${setting}`;
    const found = cost({ settings: { ...SETTINGS, ...over } });
    expect(found).toMatchObject({ generations, waiting: 10 - generations, limitedBy });
  });

  it('leaves out what open requests will cost, as the run does', () => {
    const settings = { ...SETTINGS, minCreditsRemaining: 30 };
    expect(cost({ settings })).toMatchObject({ generations: 10, waiting: 0 });
    expect(cost({ settings, open: 4 })).toMatchObject({
      generations: 6,
      waiting: 4,
      limitedBy: 'generation.minCreditsRemaining',
    });
    expect(cost({ settings, open: 40 })).toMatchObject({ generations: 0 });
  });

  it('names no limit that leaves nothing over', () => {
    expect(cost({ wanted: 0, settings: { ...SETTINGS, mode: 'off' } }).limitedBy).toBeNull();
  });
});
