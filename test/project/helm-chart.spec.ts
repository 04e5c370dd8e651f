import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { z } from 'zod';
import { isSecretKey } from '../../src/config/secrets.js';
import { configDirectory } from '../support/config/config-files.js';
import { CHART, chartFile, defaultValues, mergedValues, renderChart } from '../support/helm/chart.js';
import type { ManifestObject } from '../support/helm/chart.js';
import { validate, workloadOf, type Workload } from '../support/helm/kubernetes.js';
import { BOTH_LAYOUTS, INGRESS, INSTALLS, ROLES, SINGLE } from '../support/helm/sample-values.js';

const schema = z.looseObject({}).parse(JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')));
const accepts = new Ajv({ allErrors: true, strict: false }).compile(schema);
const refusal = (values: Readonly<Record<string, unknown>>): string[] => {
  accepts(mergedValues(defaultValues, values));
  return (accepts.errors ?? []).map(({ instancePath }) => instancePath);
};

const objectsOf = (values: Readonly<Record<string, unknown>>): readonly ManifestObject[] =>
  renderChart(values).objects;
const of = (objects: readonly ManifestObject[], kind: string): ManifestObject[] =>
  objects.filter((object) => object.kind === kind);
const deployments = (values: Readonly<Record<string, unknown>>): Workload[] =>
  of(objectsOf(values), 'Deployment').map(workloadOf);
const migration = (values: Readonly<Record<string, unknown>>): Workload | undefined =>
  of(objectsOf(values), 'Job').map(workloadOf)[0];

const directory = configDirectory();
afterAll(directory.remove);

/** The settings that a process of the chart would start with: its file, and a value for each secret that it is given. */
function loaded(objects: readonly ManifestObject[], { pod, env, secrets }: Workload) {
  const name = pod.volumes.find(({ configMap }) => configMap !== undefined)?.configMap?.name;
  const found = of(objects, 'ConfigMap').find(({ metadata }) => metadata.name === name);
  const content = z.object({ data: z.object({ 'store-sync.yaml': z.string() }) }).parse(found).data[
    'store-sync.yaml'
  ];
  const files = Object.keys(env).filter((variable) => variable.endsWith('_FILE'));
  const given = Object.fromEntries(
    files.map((variable) => {
      const path = env[variable] ?? '';
      const secret = path.replace('/run/secrets/store-sync/', '');
      if (secrets[secret] === undefined) throw new Error(`${path} is not mounted`);
      const value = secret === 'DATABASE_URL' ? 'postgres://u:p@db/x' : 'f'.repeat(64);
      return [variable, directory.file(value, secret)];
    }),
  );
  return directory.load(content, { ...env, ...given }, {});
}

describe.each(BOTH_LAYOUTS)('the chart with %s, layout %s', (_what, _layout, values) => {
  it('fits its schema, and makes objects that Kubernetes accepts', () => {
    expect(refusal(values)).toEqual([]);
    const objects = objectsOf(values);
    for (const object of objects) validate(object);
    const names = objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const { metadata } of objects) expect(metadata.name).toMatch(/^[a-z][a-z0-9-]{0,62}$/);
  });

  it('has no Secret, and gives every secret to a container as a file of an existing one', () => {
    const objects = objectsOf(values);
    expect(of(objects, 'Secret')).toEqual([]);
    const workloads = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(workloadOf);
    for (const { env, secrets } of workloads) {
      const files = Object.keys(secrets).map((name) => `/run/secrets/store-sync/${name}`);
      expect(Object.values(env).filter((value) => value.startsWith('/run/secrets/'))).toEqual(files);
      const plain = Object.keys(env).filter((name) => /TOKEN|SECRET|PASSWORD|DATABASE_URL|KEY/.test(name));
      expect(plain.filter((name) => !name.endsWith('_FILE'))).toEqual([]);
    }
  });

  it('runs every pod as another user than root, on a read-only root, without privileges and a token', () => {
    const workloads = objectsOf(values).filter(({ kind }) => kind === 'Deployment' || kind === 'Job');
    for (const { pod, container } of workloads.map(workloadOf)) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources).toMatchObject({ requests: expect.anything(), limits: expect.anything() });
      const writable = container.volumeMounts.filter(({ readOnly }) => readOnly !== true);
      expect(writable).toEqual([{ name: 'tmp', mountPath: '/tmp' }]);
    }
  });
});

describe('the layouts of the chart', () => {
  it('are one Deployment of all roles, or one for each role', () => {
    const roles = (values: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(deployments(values).map(({ name, env }) => [name, env['STORE_SYNC_ROLES']]));
    expect(roles(SINGLE)).toEqual({ 'store-sync': undefined });
    expect(roles(ROLES)).toEqual({
      'store-sync-admin': 'admin',
      'store-sync-receive': 'receive',
      'store-sync-work': 'work',
    });
  });

  it('give a process that only receives no credentials of stores, workspaces and dashboard', () => {
    const [receive] = deployments(ROLES).filter(({ name }) => name === 'store-sync-receive');
    expect(Object.keys(receive?.secrets ?? {})).toEqual([
      'CATALOG_WEBHOOK_SECRET',
      'DATABASE_URL',
      'SHOPIFY_CLIENT_SECRET',
    ]);
  });

  it.each([
    ['single', SINGLE],
    ['roles', ROLES],
    ['roles, with the install flow', { ...INSTALLS, layout: 'roles' }],
  ])('start every process with settings that it accepts: %s', (_layout, values) => {
    const objects = objectsOf(values);
    const workloads = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(workloadOf);
    for (const workload of workloads) {
      const { config } = loaded(objects, workload);
      const ports = workload.container.ports.map(({ containerPort }) => containerPort);
      if (ports.length > 0) expect(ports).toEqual([config.server.port, config.server.admin.port]);
      expect(config.database.migrate).toBe(false);
      const role = workload.env['STORE_SYNC_ROLES'];
      expect(config.server.roles).toEqual(role === undefined ? ['receive', 'work', 'admin'] : [role]);
    }
  });

  it.each([SINGLE, ROLES])(
    'select each pod by one Deployment, and route webhooks to those that receive',
    (values) => {
      const objects = objectsOf(values);
      const pods = deployments(values);
      const selects = (selector: Readonly<Record<string, string>>): string[] => {
        const all = [...pods, ...[migration(values)].flatMap((job) => job ?? [])];
        return all
          .filter(({ labels }) => Object.entries(selector).every(([key, value]) => labels[key] === value))
          .map(({ name }) => name);
      };
      for (const { name, spec } of pods) expect(selects(spec.selector?.matchLabels ?? {})).toEqual([name]);
      const targets = of(objects, 'Service').map((service) => {
        const { selector } = z.object({ selector: z.record(z.string(), z.string()) }).parse(service['spec']);
        return [service.metadata.name, selects(selector)];
      });
      const isSingle = values.layout === 'single';
      expect(Object.fromEntries(targets)).toEqual({
        'store-sync': [isSingle ? 'store-sync' : 'store-sync-receive'],
        'store-sync-admin': [isSingle ? 'store-sync' : 'store-sync-admin'],
      });
    },
  );
});

describe('the Deployments of the chart', () => {
  it('are asked for their health by routes of the program, and have longer to stop than it takes', () => {
    const routes = readFileSync('src/api/health.controller.ts', 'utf8');
    for (const { container, pod } of deployments(ROLES)) {
      expect(container.startupProbe?.httpGet).toEqual({ path: '/health/live', port: 'http' });
      expect(container.livenessProbe?.httpGet).toEqual({ path: '/health/live', port: 'http' });
      expect(container.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'http' });
      expect(pod['terminationGracePeriodSeconds']).toBeGreaterThan(27);
    }
    for (const route of ['live', 'ready']) expect(routes).toContain(`@Get('${route}')`);
  });

  it('get other pods when the configuration changes', () => {
    const checksum = (values: Readonly<Record<string, unknown>>) =>
      deployments(values)[0]?.spec.template.metadata.annotations?.['checksum/config'];
    expect(checksum(SINGLE)).toMatch(/^[0-9a-f]{64}$/);
    expect(checksum(SINGLE)).toBe(checksum(SINGLE));
    expect(checksum(SINGLE)).not.toBe(checksum({ layout: 'single' }));
  });
});

describe('the migration of the chart', () => {
  it('runs the command before an installation and an upgrade, with a configuration that exists by then', () => {
    const objects = objectsOf(SINGLE);
    const job = migration(SINGLE);
    expect(job?.container.args).toEqual(['migrate']);
    const hooks = objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] !== undefined);
    expect(hooks.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Job']);
    for (const { metadata } of hooks) {
      expect(metadata.name).toBe('store-sync-migrate');
      expect(metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    }
    expect(hooks.map(({ metadata }) => metadata.annotations?.['helm.sh/hook-weight'])).toEqual(['-1', '0']);
    expect(job?.pod.volumes).toContainEqual({ name: 'config', configMap: { name: 'store-sync-migrate' } });
  });
});

describe('the Ingress of the chart', () => {
  const pathsOf = (values: Readonly<Record<string, unknown>>): string[] =>
    z
      .object({
        spec: z.object({
          rules: z.array(z.object({ http: z.object({ paths: z.array(z.object({ path: z.string() })) }) })),
        }),
      })
      .parse(of(objectsOf({ ...values, ingress: INGRESS }), 'Ingress')[0])
      .spec.rules.flatMap(({ http }) => http.paths.map(({ path }) => path));

  it('passes webhooks alone, and the install flow only where it is configured', () => {
    expect(pathsOf(SINGLE)).toEqual(['/webhooks/']);
    expect(pathsOf(ROLES)).toEqual(['/webhooks/']);
    expect(pathsOf(INSTALLS)).toEqual(['/webhooks/', '/shopify/install', '/shopify/callback']);
    expect(of(objectsOf(SINGLE), 'Ingress')).toEqual([]);
  });

  it('is refused without a host', () => {
    expect(() => renderChart({ ingress: { enabled: true } })).toThrow('ingress.host is empty');
  });
});

describe('the values of the chart', () => {
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
    const source = readFileSync('src/config/secrets.ts', 'utf8');
    const named = new Set([...source.matchAll(/^ {2}'(\w+)',$/gm)].map(([, key]) => key));
    expect(new Set(keys)).toEqual(named);
    for (const key of keys) {
      const place = (value: string) => ({ config: { stores: { main: { auth: { [key]: value } } } } });
      expect(refusal(place('abcdefgh'))).toContain(`/config/stores/main/auth/${key}`);
      expect(refusal(place('${NAME:-abcdefgh}'))).toContain(`/config/stores/main/auth/${key}`);
      expect(refusal(place('${NAME}'))).toEqual([]);
    }
  });

  it.each([
    ['an unknown key', { unknown: 1 }, ''],
    ['an unknown layout', { layout: 'other' }, '/layout'],
    ['a secret among the variables', { env: { CATALOG_API_TOKEN: 'abcdefgh' } }, '/env'],
    [
      'a database address with a password',
      { config: { database: { url: 'postgres://u:p@h/d' } } },
      '/config/database/url',
    ],
    [
      'a Redis address with a password',
      { config: { queue: { redisUrl: 'redis://:p@h' } } },
      '/config/queue/redisUrl',
    ],
    ['no database', { secrets: { variables: { DATABASE_URL: null } } }, '/secrets/variables'],
    ['too little time to stop', { terminationGracePeriodSeconds: 10 }, '/terminationGracePeriodSeconds'],
    [
      'the dashboard on the public port',
      { config: { server: { admin: { port: 0 } } } },
      '/config/server/admin/port',
    ],
  ])('refuse %s', (_what, values, path) => {
    expect(refusal(values)).toContain(path);
  });

  it('have a comment or a plain name each, and the default image is that of the release', () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync('package.json', 'utf8')));
    expect(chartFile.appVersion).toBe(version);
    expect(deployments({})[0]?.container.image).toBe(`store-sync:v${version}`);
  });
});

describe('the notes of the chart', () => {
  it('name commands of this layout, and warn of what is missing', () => {
    expect(renderChart(SINGLE).notes).toContain('deployment/store-sync -- node bin/store-sync.js check');
    expect(renderChart(ROLES).notes).toContain('deployment/store-sync-work -- node bin/store-sync.js check');
    expect(renderChart(SINGLE).notes).not.toContain('WARNING');
    expect(renderChart({ migration: { enabled: false } }).notes).toMatch(/WARNING[^]*WARNING/);
  });
});
