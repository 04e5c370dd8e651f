import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Answers } from '../../src/cli/init/answers.js';
import { composeConfiguration } from '../../src/cli/init/written-configuration.js';
import { loadConfig } from '../../src/config/index.js';

const service = z.looseObject({
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.union([z.string(), z.looseObject({ source: z.string(), target: z.string() })])),
});
const read = (name: string) =>
  z
    .looseObject({ services: z.looseObject({ 'store-sync': service }) })
    .parse(parse(readFileSync(name, 'utf8'), { strict: true })).services['store-sync'];
const base = read('compose.yaml');

describe('the layout with several stores', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'store-sync-compose-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('mounts the directories that its example of the shared settings names, for reading only', () => {
    const { volumes } = read('compose.stores.yaml');
    const shared = z
      .looseObject({ storesDir: z.string(), secretsDir: z.string() })
      .parse(parse(readFileSync('deploy/compose/store-sync.yaml', 'utf8')));
    // Relative to the file, which compose.yaml mounts in /etc/store-sync.
    expect(shared.storesDir).toBe('./stores.d');
    expect(volumes).toEqual([
      './stores.d:/etc/store-sync/stores.d:ro',
      `./secrets/stores:${shared.secretsDir}:ro`,
    ]);
    expect(base.volumes).toContainEqual({
      type: 'bind',
      source: './store-sync.yaml',
      target: '/etc/store-sync/store-sync.yaml',
      read_only: true,
      // Docker would make a directory of a missing file.
      bind: { create_host_path: false },
    });
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
    const given = base.environment;
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

describe('the container that only receives', () => {
  const layout = parse(readFileSync('compose.roles.yaml', 'utf8'), { strict: true }) as unknown;
  const { receive } = z.object({ services: z.object({ receive: service }) }).parse(layout).services;
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'store-sync-compose-'));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const shopify = { shop: 'north.myshopify.com', clientId: 'id', clientSecret: 'signs-events' };
  const wooCommerce = { shop: 'https://shop.example.com', consumerKey: 'ck_1', consumerSecret: 'cs_1' };

  it.each<[string, Partial<Answers>]>([
    ['shopify', shopify],
    ['woocommerce', wooCommerce],
  ])('starts with the configuration that `init --compose` writes for a %s store', (kind, answers) => {
    const generated = {
      ADMIN_TOKEN: 'an-admin-token',
      CATALOG_WEBHOOK_SECRET: 'signs-deliveries',
      WOOCOMMERCE_WEBHOOK_SECRET: 'signs-events',
    };
    const given = {
      store: 'main',
      baseUrl: 'https://catalog.example.com/api/v1',
      catalogToken: 'token',
      ...answers,
    };
    const { yaml, secrets } = composeConfiguration(given, generated, 'database-password');
    const configFile = join(directory, `${kind}.yaml`);
    writeFileSync(configFile, yaml);
    const env = Object.fromEntries(
      Object.entries(receive.environment).map(([name, value]) =>
        name.endsWith('_FILE')
          ? [name.slice(0, -'_FILE'.length), secrets[value.replace('/run/secrets/', '')] ?? '']
          : [name, value.startsWith('${') ? '' : value],
      ),
    );
    const { stores } = loadConfig({ configFile, env, daemon: {} }).config;
    expect(stores['main']?.webhookSecret).toBe('signs-events');
  });
});
