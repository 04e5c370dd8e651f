import { expect, it } from '@jest/globals';
import { parseProductCsv } from '../../sandbox/store/csv.js';
import { importProduct } from '../../sandbox/store/product-import.js';
import { ShopState } from '../../sandbox/store/state.js';
import { outcomeTable, type DemoOutcome } from './demo-report.js';

it.each([80, 100, 163, 400, undefined])('the demo’s table fits a terminal of %s columns', (columns) => {
  const lines = outcomeTable([], columns).split('\n');
  const widest = Math.max(...lines.map((line) => line.length));
  expect(widest).toBeLessThanOrEqual(Math.min(columns ?? 163, 163));
  expect(widest).toBeGreaterThan(Math.min(columns ?? 163, 163) - 8);
});

it('the demo’s table has five rows, what did not complete first, and counts the rest', () => {
  const rows = Array.from({ length: 8_624 }, (_, index) => `product-${String(index)},Product`);
  const shop = 'demo-store.myshopify.com';
  const state = new ShopState({
    shop,
    now: () => new Date(0),
    searchLagMs: 0,
    updatedAtLagMs: 0,
    locales: [],
  });
  const outcomes = parseProductCsv(`Handle,Title\n${rows.join('\n')}\n`).map(
    (imported, index): DemoOutcome => {
      const before = importProduct(state, imported);
      const fate = index === 8_000 ? 'incomplete' : 'written';
      return { externalId: imported.handle, before, after: before, outcome: 'x', fate };
    },
  );
  const table = outcomeTable(outcomes, 100);
  expect(table.match(/product-\d+/g)).toHaveLength(5);
  expect(/product-\d+/.exec(table)?.[0]).toBe('product-8000');
  expect(table.split('\n').at(-1)).toBe('… and 8619 more products');
});
