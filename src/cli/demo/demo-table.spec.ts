import { expect, it } from '@jest/globals';
import { outcomeTable, type DemoOutcome } from './demo-report.js';

it.each([80, 100, 163, 400, undefined])('the demo’s table fits a terminal of %s columns', (columns) => {
  const lines = outcomeTable([], columns).split('\n');
  const widest = Math.max(...lines.map((line) => line.length));
  expect(widest).toBeLessThanOrEqual(Math.min(columns ?? 163, 163));
  expect(widest).toBeGreaterThan(Math.min(columns ?? 163, 163) - 8);
});

it('the demo’s table has five rows, what did not complete first, and counts the rest', () => {
  const outcomes = Array.from({ length: 8_624 }, (_, index): DemoOutcome => {
    const handle = `product-${String(index)}`;
    const before = {
      id: handle,
      externalId: handle,
      handle,
      title: 'Product',
      descriptionHtml: '',
      values: 0,
      leftAlone: null,
    };
    return { before, after: before, outcome: 'x', fate: index === 8_000 ? 'incomplete' : 'written' };
  });
  const table = outcomeTable(outcomes, 100);
  expect(table.match(/product-\d+/g)).toHaveLength(5);
  expect(/product-\d+/.exec(table)?.[0]).toBe('product-8000');
  expect(table.split('\n').at(-1)).toBe('… and 8619 more products');
});
