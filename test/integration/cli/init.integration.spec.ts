import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig, type AppConfig } from '../../../src/config/index.js';
import { startTestShop } from '../../support/sandbox/test-shop.js';
import { runWith, type CommandEnd } from '../../support/run-command.js';
import { Services } from '../../support/world/services.js';

const CLIENT = { clientId: 'client-of-the-tests', clientSecret: 'client-secret-canary-5e1f' };
const OWNER_ONLY = 0o600;
/** Nothing listens on the port of "discard". */
const NOBODY = 'http://127.0.0.1:9';

let services: Services;
let directory: string;
beforeAll(async () => {
  services = await Services.open({ store: CLIENT });
  directory = mkdtempSync(join(tmpdir(), 'store-sync-init-'));
  for (const [name, text] of [
    ['token', services.catalogToken],
    ['secret', CLIENT.clientSecret],
    ['wrong', 'wrong-secret-canary-77aa'],
  ] as const)
    writeFileSync(join(directory, name), `${text}\n`);
});
afterAll(async () => {
  await services.stop();
  rmSync(directory, { recursive: true });
});

function flags(out: string): Record<string, unknown> {
  return {
    out: join(directory, out),
    store: 'main',
    catalogUrl: services.catalogUrl,
    catalogTokenFile: join(directory, 'token'),
    shop: 'main.myshopify.com',
    endpoint: services.stores.get('main')?.url,
    clientId: CLIENT.clientId,
    clientSecretFile: join(directory, 'secret'),
    locale: 'en',
    locales: 'de, fr',
  };
}

const init = (options: Record<string, unknown>): Promise<CommandEnd> => runWith({}, 'init', [], options);
const written = (out: string): AppConfig => loadConfig({ configFile: join(directory, out), env: {} }).config;
const modeOf = (...path: string[]): number => statSync(join(directory, ...path)).mode & 0o777;

describe('store-sync init by flags alone', () => {
  it('tests each answer, and writes a configuration that works, with safe values', async () => {
    const { status, stdout, stderr } = await init(flags('shop.yaml'));
    expect([status, stderr]).toEqual([0, expect.stringMatching(/ok .*catalog login[^]*ok .*scopes/)]);
    const { workspaces, stores, server } = written('shop.yaml');
    expect(workspaces['default']).toMatchObject({
      ...{ baseUrl: services.catalogUrl, locale: 'en', auth: { apiToken: services.catalogToken } },
      generation: { maxPerRun: 10 },
    });
    expect(stores['main']).toMatchObject({
      ...{ shop: 'main.myshopify.com', auth: CLIENT, webhookSecret: CLIENT.clientSecret },
      writeBack: {
        ...{ mode: 'review', locales: ['de', 'fr'], sections: { namespace: 'catalog' } },
        fields: { name: 'title', 'sections.seo_title': 'seo.title' },
      },
    });
    expect(server.host).toBe('127.0.0.1');
    expect(server.adminToken?.length).toBeGreaterThanOrEqual(32);
    const config = join(directory, 'shop.yaml');
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
      `  store-sync plan --config ${config}`,
      `  store-sync start --config ${config}`,
    ]);
  });

  it('takes a shop of WooCommerce by its whole address, and makes the secret of its events', async () => {
    const keys = { consumerKey: `ck_${'a'.repeat(40)}`, consumerSecret: `cs_${'b'.repeat(40)}` };
    const shop = await startTestShop(keys);
    try {
      writeFileSync(join(directory, 'woo-secret'), keys.consumerSecret);
      const { status, stderr } = await init({
        ...{ out: join(directory, 'woo.yaml'), store: 'main', catalogUrl: services.catalogUrl },
        ...{ catalogTokenFile: join(directory, 'token'), shop: shop.url, locale: 'en' },
        ...{ consumerKey: keys.consumerKey, consumerSecretFile: join(directory, 'woo-secret') },
      });
      expect([status, stderr]).toEqual([0, expect.stringMatching(/ok .*store address[^]*ok .*store access/)]);
      const store = written('woo.yaml').stores['main'];
      expect(store).toMatchObject({ kind: 'woocommerce', url: shop.url, auth: keys });
      expect(store?.webhookSecret?.length).toBeGreaterThanOrEqual(32);
      expect(readFileSync(join(directory, 'woo.yaml'), 'utf8')).not.toContain(keys.consumerSecret);
    } finally {
      await shop.stop();
    }
  });

  it('leaves out a password of the environment that belongs to no login', async () => {
    const env = { CATALOG_PASSWORD: 'password-of-another-login' };
    expect(await runWith(env, 'init', [], flags('token.yaml'))).toMatchObject({ status: 0 });
    expect(written('token.yaml').workspaces['default']?.auth).toEqual({ apiToken: services.catalogToken });
  });

  it('writes the file that --config names, as every command reads it', async () => {
    const { out, ...others } = flags('named.yaml');
    const { status, stdout } = await init({ ...others, config: out });
    expect([status, stdout]).toEqual([0, expect.stringContaining('named.yaml')]);
    expect(Object.keys(written('named.yaml').stores)).toEqual(['main']);
  });

  it('names its file in the next commands where the environment names another one', async () => {
    const cwd = process.cwd();
    process.chdir(directory);
    try {
      const { out: _out, ...others } = flags('');
      const { stdout } = await runWith({ STORE_SYNC_CONFIG: 'other.yaml' }, 'init', [], others);
      expect(stdout).toContain('store-sync plan --config store-sync.yaml');
    } finally {
      process.chdir(cwd);
    }
  });

  it('ends with commands that work where it was started: by npx, with npx', async () => {
    const { stdout } = await runWith({ npm_command: 'exec' }, 'init', [], flags('npx.yaml'));
    expect(stdout).toMatch(/^ {2}npx store-sync plan [^]*^ {2}npx store-sync start /m);
  });

  it('keeps secrets out of the YAML file and the terminal, in files that only the owner can read', async () => {
    const { stdout, stderr } = await init(flags('owner.yaml'));
    const secrets = readdirSync(join(directory, 'owner.secrets'));
    expect(secrets).toEqual([
      ...['ADMIN_TOKEN', 'CATALOG_API_TOKEN', 'CATALOG_WEBHOOK_SECRET', 'SHOPIFY_CLIENT_SECRET'],
    ]);
    const shown = readFileSync(join(directory, 'owner.yaml'), 'utf8') + stdout + stderr;
    for (const name of secrets) {
      expect(modeOf('owner.secrets', name)).toBe(OWNER_ONLY);
      expect(shown).not.toContain(readFileSync(join(directory, 'owner.secrets', name), 'utf8').trim());
    }
    expect([modeOf('owner.yaml'), modeOf('owner.secrets')]).toEqual([OWNER_ONLY, 0o700]);
  });

  it('writes for compose every file that it mounts, and a configuration that takes its secrets from them', async () => {
    const files = join(directory, 'compose', 'secrets');
    const { status, stdout } = await init({ ...flags(join('compose', 'store-sync.yaml')), compose: true });
    expect([status, stdout]).toEqual([0, expect.stringContaining('docker compose up -d')]);
    const { secrets, services: parts } = z
      .object({
        secrets: z.record(z.string(), z.object({ file: z.string() })),
        services: z.looseObject({
          'store-sync': z.looseObject({ environment: z.record(z.string(), z.string()) }),
        }),
      })
      .parse(parse(readFileSync('compose.yaml', 'utf8')));
    expect(readdirSync(files).toSorted()).toEqual(
      Object.values(secrets)
        .map(({ file }) => file.replace('./secrets/', ''))
        .toSorted(),
    );
    for (const name of readdirSync(files)) expect(modeOf('compose', 'secrets', name)).toBe(OWNER_ONLY);
    const { environment } = parts['store-sync'];
    const env = Object.entries(environment)
      .filter(([name]) => name.endsWith('_FILE'))
      .map(([name, path]) => [name, path.replace('/run/secrets', files)]);
    const configFile = join(directory, 'compose', 'store-sync.yaml');
    const { config } = loadConfig({ configFile, env: Object.fromEntries(env) });
    expect(config.server.host).toBe('0.0.0.0');
    expect(config.database.url).toMatch(/^postgres:\/\/store_sync:[\w-]{32,}@postgres:5432\/store_sync$/);
    expect(config.stores['main']).toMatchObject({ auth: CLIENT, webhookSecret: CLIENT.clientSecret });
    expect(config.workspaces['default']?.auth).toEqual({ apiToken: services.catalogToken });
  });

  it('never replaces a file without --force', async () => {
    await init(flags('kept.yaml'));
    const before = readFileSync(join(directory, 'kept.yaml'), 'utf8');
    const again = await init({ ...flags('kept.yaml'), store: 'other' });
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);
    expect(readFileSync(join(directory, 'kept.yaml'), 'utf8')).toBe(before);
    expect((await init({ ...flags('kept.yaml'), store: 'other', force: true })).status).toBe(0);
    expect(Object.keys(written('kept.yaml').stores)).toEqual(['other']);
  });

  it.each([{}, { compose: true }])('keeps the secrets of its own making under --force (%j)', async (way) => {
    const name = `again-${String(Object.keys(way).length)}`;
    const secrets = join(directory, name, 'compose' in way ? 'secrets' : 'store-sync.secrets');
    const made = () =>
      readdirSync(secrets)
        .filter((file) => /^(admin|catalog_webhook|postgres|database)/i.test(file))
        .map((file) => [file, readFileSync(join(secrets, file), 'utf8')]);
    const options = { ...flags(join(name, 'store-sync.yaml')), ...way };
    await init(options);
    const before = made();
    expect(before.length).toBeGreaterThan(1);
    expect((await init({ ...options, store: 'other', force: true })).status).toBe(0);
    expect(made()).toEqual(before);
  });

  it('writes through no link that stands in its way', async () => {
    writeFileSync(join(directory, 'precious'), 'precious');
    symlinkSync(join(directory, 'precious'), join(directory, 'linked.yaml'));
    expect((await init(flags('linked.yaml'))).status).toBe(1);
    expect((await init({ ...flags('linked.yaml'), force: true })).status).toBe(0);
    expect(readFileSync(join(directory, 'precious'), 'utf8')).toBe('precious');
  });

  it.each([
    ['a wrong catalog token', { catalogTokenFile: 'wrong' }, /catalog login: .*401/],
    ['a language that is no code', { locale: 'English' }, /language: expected a language such as en/],
    ['wrong store credentials', { clientSecretFile: 'wrong' }, /store access: .*invalid_client/],
    ['the shop of another merchant', { shop: 'other.myshopify.com' }, /belongs to main\.myshopify\.com/],
    ['a name that is no shop', { shop: 'evil.example' }, /stores\.main\.shop: /],
    ['the whole address of a Shopify shop', { shop: 'https://main.myshopify.com' }, /stores\.main\.shop: /],
    [
      'languages of a WooCommerce shop',
      { shop: NOBODY, consumerKey: 'ck_1', consumerSecretFile: 'secret' },
      /writeBack\.locales: expected empty/,
    ],
    ['a public address without TLS', { publicUrl: 'http://sync.example.com' }, /server\.publicUrl: .*https/],
  ])('refuses %s, says so, and writes nothing', async (_what, change, expected) => {
    const named = Object.entries(change).map(([key, value]) => [
      key,
      key.endsWith('File') ? join(directory, value) : value,
    ]);
    const { status, stderr, stdout } = await init({
      ...flags('refused.yaml'),
      ...(Object.fromEntries(named) as Record<string, string>),
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(expected);
    expect(stderr).not.toContain('canary');
    expect(readdirSync(directory).filter((name) => name.startsWith('refused'))).toEqual([]);
  });

  it.each([
    ['a catalog that does not answer', 'catalogUrl', () => NOBODY, /catalog address: .*ECONNREFUSED/],
    [
      'an address without a catalog',
      'catalogUrl',
      () => services.catalogUrl.replace(/\/v1$/, ''),
      /catalog address: .*404.*usually ends in \/api\/v1/,
    ],
    ['a store that does not answer', 'endpoint', () => NOBODY, /store address: .*ECONNREFUSED/],
    ['an address without a store', 'endpoint', () => services.catalogUrl, /store address: .*404/],
  ])('refuses %s before it tests any credentials', async (_what, flag, address, expected) => {
    const { status, stderr } = await init({ ...flags('refused.yaml'), [flag]: address() });
    expect(status).toBe(1);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(expected);
    expect(stderr).not.toMatch(flag === 'endpoint' ? /store main: / : /catalog login/);
  });
});
