import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { isSecretKey } from '../../src/config/secrets.js';

const CHART = 'deploy/helm/store-sync';
type Values = Readonly<Record<string, unknown>>;

/** Values that differ from the defaults, so that the branches of the templates are rendered. */
const INSTALLS: readonly [string, Values][] = [
  ['the defaults', {}],
  ['the layout by roles', { layout: 'roles' }],
  [
    'everything that the chart can',
    {
      fullnameOverride: `${'long'.repeat(20)}-`,
      image: { digest: `sha256:${'a'.repeat(64)}` },
      imagePullSecrets: [{ name: 'registry' }],
      secrets: {
        secretName: 'one',
        variables: { ADMIN_TOKEN: { secretName: 'two' } },
        environment: [{ secretName: 'three' }, { secretName: 'four', receive: true }],
      },
      serviceAccount: { create: true, annotations: { 'eks.amazonaws.com/role-arn': 'arn' } },
      networkPolicy: { enabled: true, from: [{ podSelector: {} }], adminFrom: [{ podSelector: {} }] },
      topologySpread: { topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' },
      processes: { all: { replicas: 3 } },
      service: { type: 'LoadBalancer', port: 443, adminPort: 8080 },
      ingress: { enabled: true, host: 'sync.example.com', className: 'nginx', tlsSecretName: 'tls' },
      serviceMonitor: { enabled: true, interval: '1m' },
      podLabels: { c: 'd' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      config: { server: { port: 8000, admin: { port: 8001 } } },
    },
  ],
  [
    'what can be left out',
    {
      podDisruptionBudget: { enabled: false },
      topologySpread: { enabled: false },
      migration: { enabled: false },
    },
  ],
];
const record = z.record(z.string(), z.unknown());
const defaults: Values = record.parse(parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')));
const schema = record.parse(JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')));
const accepts = new Ajv({ allErrors: true, strict: false }).compile(schema);

/** Maps merge, all else replaces, and null removes a key: Helm's rule. */
function merged(base: Values, changes: Values): Values {
  const changed = Object.entries(changes).map(([key, value]) => {
    const [before, after] = [record.safeParse(base[key]), record.safeParse(value)];
    return [key, before.success && after.success ? merged(before.data, after.data) : value] as const;
  });
  const all = Object.entries({ ...base, ...Object.fromEntries(changed) });
  return Object.fromEntries(all.filter(([key]) => changes[key] !== null));
}

/** The paths of the values that the chart's schema refuses. */
function refused(values: Values): string[] {
  accepts(merged(defaults, values));
  return (accepts.errors ?? []).map(({ instancePath }) => instancePath);
}

function helm(command: readonly string[], values: Values): string {
  const directory = mkdtempSync(join(tmpdir(), 'store-sync-helm-'));
  try {
    const file = join(directory, 'values.yaml');
    writeFileSync(file, stringify(values));
    return execFileSync('helm', [...command, CHART, '--values', file], { encoding: 'utf8' });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

describe('the values of the chart', () => {
  it.each(INSTALLS)('fit its schema: %s', (_what, values) => {
    expect(refused(values)).toEqual([]);
  });

  it('refuse every secret of the configuration that stands there as a value', () => {
    const { patternProperties } = z
      .object({
        definitions: z.object({
          settings: z.object({ patternProperties: z.record(z.string(), z.unknown()) }),
        }),
      })
      .parse(schema).definitions.settings;
    const [pattern = ''] = Object.keys(patternProperties);
    const keys = pattern.slice('^('.length, -')$'.length).split('|');
    expect(keys.every(isSecretKey)).toBe(true);
    for (const key of keys) {
      const place = (value: string): Values => ({ config: { stores: { main: { auth: { [key]: value } } } } });
      expect(refused(place('abcdefgh'))).toContain(`/config/stores/main/auth/${key}`);
      expect(refused(place('${NAME:-abcdefgh}'))).toContain(`/config/stores/main/auth/${key}`);
      expect(refused(place('${NAME}'))).toEqual([]);
    }
  });

  it.each([
    ['an unknown key', { unknown: 1 }, ''],
    ['an unknown layout', { layout: 'other' }, '/layout'],
    ['a secret among the variables', { env: { CATALOG_API_TOKEN: 'abcdefgh' } }, '/env'],
    ['a database password', { config: { database: { url: 'postgres://u:p@h/d' } } }, '/config/database/url'],
    ['a Redis password', { config: { queue: { redisUrl: 'redis://:p@h' } } }, '/config/queue/redisUrl'],
    ['no database', { secrets: { variables: { DATABASE_URL: null } } }, '/secrets/variables'],
    ['too little time to stop', { terminationGracePeriodSeconds: 10 }, '/terminationGracePeriodSeconds'],
    ['a public dashboard', { config: { server: { admin: { port: 0 } } } }, '/config/server/admin/port'],
  ])('refuse %s', (_what, values, path) => {
    expect(refused(values)).toContain(path);
  });
});

const isInstalled = spawnSync('helm', ['version']).status === 0;

(isInstalled ? describe : describe.skip)('the chart, where helm is installed', () => {
  it('passes the strict lint', () => {
    expect(helm(['lint', '--strict'], {})).toContain('0 chart(s) failed');
  });

  it.each(INSTALLS)('renders objects without a Secret: %s', (_what, values) => {
    const kinds = parseAllDocuments(helm(['template', 'store-sync'], values)).flatMap((document) => {
      const object = z.looseObject({ kind: z.string() }).safeParse(document.toJS());
      return object.success ? [object.data.kind] : [];
    });
    expect(kinds).toContain('Deployment');
    expect(kinds).not.toContain('Secret');
  });
});
