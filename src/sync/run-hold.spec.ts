import { expect, it } from '@jest/globals';
import type { StepStart } from '../persistence/entities/sync-run.entity.js';
import { enterStep } from './run-hold.js';

it('a run keeps its newest sixty steps', () => {
  const startedAt = '2026-11-20T02:00:00.000Z';
  const hold: { steps: readonly StepStart[] } = { steps: [{ step: 'export', startedAt }] };
  for (let times = 0; times < 60; times += 1) enterStep(hold, 'plan', { now: () => new Date(startedAt) });
  expect(hold.steps).toEqual(Array.from({ length: 60 }, () => ({ step: 'plan', startedAt })));
});
