import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { GoTemplates } from './go-template.js';

export const CHART = 'deploy/helm/store-sync';

export const manifestObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});
export type ManifestObject = z.infer<typeof manifestObject>;

type Values = Readonly<Record<string, unknown>>;
const values = z.record(z.string(), z.unknown());

export const chartFile = z
  .object({ name: z.string(), version: z.string(), appVersion: z.string(), type: z.string() })
  .parse(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')));

export const defaultValues: Values = values.parse(parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')));

/** Maps merge, all else replaces, and null removes a key: Helm's rule. */
export function mergedValues(base: Values, changes: Values): Values {
  const mergedWith = (key: string, value: unknown): unknown => {
    const before = values.safeParse(base[key]);
    const after = values.safeParse(value);
    return before.success && after.success ? mergedValues(before.data, after.data) : value;
  };
  const changed = Object.entries(changes).map(([key, value]) => [key, mergedWith(key, value)] as const);
  const all = Object.entries({ ...base, ...Object.fromEntries(changed) });
  return Object.fromEntries(all.filter(([key]) => changes[key] !== null));
}

export interface RenderedChart {
  readonly objects: readonly ManifestObject[];
  readonly notes: string;
}

const known = new Map<string, RenderedChart>();

/** The output of `helm template store-sync` with these values over the defaults of the chart. */
export function renderChart(changes: Values = {}): RenderedChart {
  const key = JSON.stringify(changes);
  const found = known.get(key) ?? rendered(mergedValues(defaultValues, changes));
  known.set(key, found);
  return found;
}

function rendered(all: Values): RenderedChart {
  const templates = new GoTemplates();
  const files = readdirSync(join(CHART, 'templates')).map((name) => ({
    name,
    template: templates.add(readFileSync(join(CHART, 'templates', name), 'utf8')),
  }));
  const root = {
    Values: all,
    Release: { Name: 'store-sync', Namespace: 'default', Service: 'Helm' },
    Chart: { Name: chartFile.name, Version: chartFile.version, AppVersion: chartFile.appVersion },
  };
  const texts = (ending: string): string[] =>
    files.filter(({ name }) => name.endsWith(ending)).map(({ template }) => template.render(root));
  return { objects: texts('.yaml').flatMap(objectsOf), notes: texts('.txt').join('\n') };
}

/** The objects of a manifest. A document that holds comments alone is none. Throws where the text is no YAML. */
export function objectsOf(manifest: string): ManifestObject[] {
  return parseAllDocuments(manifest).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const content: unknown = document.toJS();
    return content === null ? [] : [manifestObject.parse(content)];
  });
}
