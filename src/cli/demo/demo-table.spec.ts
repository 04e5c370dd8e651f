import { expect, it } from '@jest/globals';
import { outcomeTable } from './demo-report.js';

it.each([80, 100, 163, 400, undefined])('the demo’s table fits a terminal of %s columns', (columns) => {
  const lines = outcomeTable([], columns).split('\n');
  const widest = Math.max(...lines.map((line) => line.length));
  expect(widest).toBeLessThanOrEqual(Math.min(columns ?? 163, 163));
  expect(widest).toBeGreaterThan(Math.min(columns ?? 163, 163) - 8);
});
