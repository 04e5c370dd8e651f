import { expect, it } from '@jest/globals';
import { VISITOR } from '../../test/support/visitor.js';
import { planTakenText } from './pages/plan.pages.js';
import { planPage } from './views/plan.js';
import { plansPage } from './views/plans.js';

function buttonOf(entries: number): string | undefined {
  const plan = {
    ...{ id: 'p', store: 'main', kind: 'full' as const, state: 'saved' as const, counts: {}, entries },
    ...{ incomplete: null, error: null, runId: null, createdAt: '2026-11-22T10:00:00.000Z', appliedAt: null },
  };
  const empty = { items: [], total: 0, limit: 50, offset: 0 };
  const page = planPage(VISITOR, { plan, cost: null, kinds: {}, given: {}, entries: empty });
  return /Apply [^<]*/.exec(page)?.[0];
}

it.each([
  [1, 'Apply this change'],
  [2, 'Apply these 2 changes'],
  [0, undefined],
])('a plan of %d entries has the button %j', (entries, button) => {
  expect(buttonOf(entries)).toBe(button);
});

it('a plan that was applied is called so, and not live', () => {
  const plans = { items: [], total: 0, limit: 50, offset: 0 };
  const page = plansPage(VISITOR, plans, { given: {}, counts: { applied: 1 }, stores: ['main'] });
  expect(page).toMatch(/state=applied"[^>]*>applied /);
  expect(page).not.toContain('>live ');
});

it.each([
  [1, 0, 'The run applies the one entry.'],
  [3, 0, 'The run applies all 3 entries.'],
  [1, 1, 'The run applies 1 entry; 1 was refused, because it changed.'],
  [3, 2, 'The run applies 3 entries; 2 were refused, because they changed.'],
])('of %d taken and %d refused entries the notice says: %s', (taken, refused, notice) => {
  expect(planTakenText(taken, refused)).toBe(notice);
});
