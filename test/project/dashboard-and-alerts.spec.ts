import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { Metrics } from '../../src/observability/metrics/metrics.js';
import { StateGauges } from '../../src/operations/state-gauges.js';

const file = (path: string): string => readFileSync(new URL(`../../config/${path}`, import.meta.url), 'utf8');

const dashboard = z
  .looseObject({
    uid: z.literal('store-sync'),
    templating: z.object({
      list: z.array(
        z.looseObject({
          name: z.string(),
          type: z.string(),
          definition: z.string().optional(),
          allValue: z.string().optional(),
        }),
      ),
    }),
    panels: z.array(
      z.looseObject({
        title: z.string(),
        targets: z.array(z.looseObject({ expr: z.string(), refId: z.string() })).optional(),
      }),
    ),
  })
  .parse(JSON.parse(file('grafana/store-sync.json')));

const rules = z
  .strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.strictObject({
            alert: z.string().regex(/^StoreSync[A-Z]\w+$/),
            expr: z.string(),
            for: z
              .string()
              .regex(/^\d+[mh]$/)
              .optional(),
            labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
            annotations: z.strictObject({ summary: z.string(), description: z.string() }),
          }),
        ),
      }),
    ),
  })
  .parse(parse(file('alerts/store-sync.rules.yaml')))
  .groups.flatMap((group) => group.rules);

const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }): [string, string] => [title, expr]),
);
const alerts = rules.map(({ alert, expr }): [string, string] => [alert, expr]);

/** Every series that /metrics can show, with the labels that it has. */
const known = seriesOf(allMetrics());

function allMetrics(): Metrics {
  const metrics = new Metrics();
  const none = () => Promise.resolve([]);
  const rows = { backlog: none, workspaces: none, stores: none, held: none };
  const jobs = { queues: none, lostJobs: () => new Map<string, number>() };
  new StateGauges(metrics.registry, { ...rows, ...jobs, clockMs: () => 0, onFault: () => undefined });
  return metrics;
}

function seriesOf({ registry }: Metrics): Map<string, readonly string[]> {
  const series = new Map<string, readonly string[]>();
  for (const metric of registry.getMetricsAsArray()) {
    const labels: unknown = 'labelNames' in metric ? metric.labelNames : [];
    const names = z.array(z.string()).parse(labels);
    const isHistogram = 'buckets' in metric || 'upperBounds' in metric;
    if (isHistogram)
      for (const end of ['_bucket', '_sum', '_count']) series.set(metric.name + end, [...names, 'le']);
    else series.set(metric.name, names);
  }
  return series;
}

/** The series of an expression, and the labels that it selects or groups by. */
function askedBy(expression: string): { series: string[]; labels: string[]; groupings: string[] } {
  const names = [...expression.matchAll(/\b(?:store_sync|process|nodejs)_\w+/g)].map(([name]) => name);
  const labels = [...expression.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = '']) => label);
  const groupings = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  return { series: names, labels, groupings };
}

describe.each([
  ['the dashboard', panels],
  ['the alert rules', alerts],
])('%s', (_what, expressions) => {
  it.each(expressions)('%s asks for series that exist, by labels that they have', (_title, expression) => {
    const { series, labels, groupings } = askedBy(expression);
    expect(series.length).toBeGreaterThan(0);
    expect(series.filter((name) => !known.has(name))).toEqual([]);
    const possible = series.flatMap((name) => known.get(name) ?? []);
    expect([...labels, ...groupings].filter((label) => !possible.includes(label))).toEqual([]);
    for (const [open, close] of ['()', '{}', '[]'])
      expect(expression.split(open ?? '').length).toBe(expression.split(close ?? '').length);
  });
});

describe('the dashboard', () => {
  it('offers the stores that have series as a variable, and all of them together', () => {
    const variable = dashboard.templating.list.find(({ name }) => name === 'store');
    const [, series = '', label] = /^label_values\((\w+), (\w+)\)$/.exec(variable?.definition ?? '') ?? [];
    expect([variable?.type, label]).toEqual(['query', 'store']);
    expect(known.get(series)).toContain('store');
    // The one series of all stores, without `server.metrics.perStore`, matches it as well.
    expect(new RegExp(`^${variable?.allValue ?? ''}$`).test('all')).toBe(true);
  });

  it.each(panels)('%s selects by the variable exactly the series that have a store', (_title, expression) => {
    const selected = [...expression.matchAll(/\b(store_sync_\w+)\{[^}]*store=~"\$store"[^}]*\}/g)];
    const withStore = askedBy(expression).series.filter(
      (name) => known.get(name)?.includes('store') === true,
    );
    expect(selected.map(([, name]) => name)).toEqual(withStore);
  });

  it('shows every metric of ours, so that none is kept for nobody', () => {
    const shown = new Set(panels.flatMap(([, expression]) => askedBy(expression).series));
    const ours = [...known.keys()].filter((name) => /^store_sync_(?!.*_(sum|count)$)/.test(name));
    expect(ours.filter((name) => !shown.has(name))).toEqual([]);
  });
});
