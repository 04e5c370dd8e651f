import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../src/config/index.js';

/** The keys of a service that these files use, each in one of its forms. An unknown key is a typing error. */
const service = z.strictObject({
  build: z.literal('.').optional(),
  image: z.string().optional(),
  init: z.boolean().optional(),
  restart: z.string().optional(),
  stop_grace_period: z.string().optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z.array(z.string()).default([]),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)).optional(),
  command: z.array(z.string()).optional(),
  user: z.string().optional(),
  tmpfs: z.array(z.string()).optional(),
  shm_size: z.string().optional(),
  healthcheck: z
    .strictObject({
      test: z.array(z.string()),
      interval: z.string(),
      timeout: z.string(),
      retries: z.number(),
      start_period: z.string().optional(),
    })
    .optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  cap_add: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  pids_limit: z.number().optional(),
  mem_limit: z.string().optional(),
  cpus: z.number().optional(),
  cpu_shares: z.number().optional(),
  ulimits: z.strictObject({ nofile: z.strictObject({ soft: z.number(), hard: z.number() }) }).optional(),
  logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }).optional(),
});
const file = z.strictObject({
  name: z.string().optional(),
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean() }).nullable()).default({}),
  volumes: z.record(z.string(), z.null()).default({}),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })).default({}),
});

const FILES = readdirSync('.').filter((name) => /^compose(\.\w+)?\.yaml$/.test(name));
const read = (name: string) => file.parse(parse(readFileSync(name, 'utf8'), { strict: true }));
const base = read('compose.yaml');

describe('the compose files', () => {
  it.each(FILES)('%s refers to nothing that it and compose.yaml do not declare', (name) => {
    const { services, networks, volumes, secrets } = read(name);
    const known = <T>(own: Readonly<Record<string, T>>, shared: Readonly<Record<string, T>>) =>
      new Set([...Object.keys(own), ...Object.keys(shared)]);
    const [services_, networks_] = [known(services, base.services), known(networks, base.networks)];
    const [volumes_, secrets_] = [known(volumes, base.volumes), known(secrets, base.secrets)];
    for (const each of Object.values(services)) {
      const named = each.volumes.map((volume) => volume.split(':')[0] ?? '');
      const lost = [
        ...Object.keys(each.depends_on ?? {}).filter((key) => !services_.has(key)),
        ...each.networks.filter((key) => !networks_.has(key)),
        ...named.filter((source) => !source.startsWith('./') && !volumes_.has(source)),
        ...each.secrets.filter((key) => !secrets_.has(key)),
        ...Object.entries(each.environment).flatMap(([key, value]) => {
          const secret = /^\/run\/secrets\/(.*)$/.exec(value)?.[1];
          if (secret === undefined) return key.endsWith('_FILE') ? [key] : [];
          return each.secrets.includes(secret) ? [] : [secret];
        }),
      ];
      expect(lost).toEqual([]);
    }
  });
});

describe('the layout with several stores', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'store-sync-compose-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('mounts the directories that its example of the shared settings names, for reading only', () => {
    const { volumes } = service.parse(read('compose.stores.yaml').services['store-sync']);
    const shared = z
      .looseObject({ storesDir: z.string(), secretsDir: z.string() })
      .parse(parse(readFileSync('deploy/compose/store-sync.yaml', 'utf8')));
    // Relative to the file, which compose.yaml mounts in /etc/store-sync.
    expect(shared.storesDir).toBe('./stores.d');
    expect(volumes).toEqual([
      './stores.d:/etc/store-sync/stores.d:ro',
      `./secrets/stores:${shared.secretsDir}:ro`,
    ]);
    expect(base.services['store-sync']?.volumes).toContain(
      './store-sync.yaml:/etc/store-sync/store-sync.yaml:ro',
    );
  });

  it('has an example that loads: the stores of its files, with the secrets that the container gets', () => {
    cpSync('deploy/compose', directory, { recursive: true });
    mkdirSync(join(directory, 'secrets'));
    for (const name of readdirSync('deploy/compose/stores.d')) {
      const text = readFileSync(join('deploy/compose/stores.d', name), 'utf8');
      for (const [, variable = ''] of text.matchAll(/\$\{(\w+)\}/g))
        writeFileSync(join(directory, 'secrets', variable), `${variable.toLowerCase()}\n`);
    }
    const configFile = join(directory, 'store-sync.yaml');
    const text = readFileSync(configFile, 'utf8').replace('/run/store-secrets', './secrets');
    writeFileSync(configFile, text);
    const given = service.parse(base.services['store-sync']).environment;
    const env = Object.fromEntries(
      Object.keys(given).flatMap((name) =>
        name.endsWith('_FILE') ? [[name.slice(0, -'_FILE'.length), 'x'.repeat(32)]] : [],
      ),
    );
    const { stores } = loadConfig({ configFile, env: { ...env, DATABASE_URL: '' } }).config;
    expect(Object.keys(stores)).toEqual(['north', 'south']);
    expect(stores['south']).toMatchObject({
      auth: { clientId: 'south_client_id' },
      webhookSecret: 'south_client_secret',
      writeBack: { mode: 'review' },
    });
  });
});
