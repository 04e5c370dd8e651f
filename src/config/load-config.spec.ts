import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from './index.js';
import { configDirectory, store, workspace } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

/** The sample configuration, as an operator would copy it. */
const SAMPLE = readFileSync(new URL('../../test/support/config/sample.yaml', import.meta.url), 'utf8');
const SAMPLE_ENV = {
  CATALOG_API_TOKEN: 'catalog-token',
  CATALOG_WEBHOOK_SECRET: 'hook',
  SHOPIFY_ACCESS_TOKEN: 'shop-token',
};

describe('the configuration', () => {
  it('reads the documented sample, with references inside { }', () => {
    const { config, warnings } = files.load(SAMPLE, SAMPLE_ENV);
    expect(config.workspaces['default']?.auth.apiToken).toBe('catalog-token');
    expect(config.workspaces['default']?.generation.request.body).toEqual({ product_ids: '{product_ids}' });
    expect(config.stores['main']?.auth).toEqual({ accessToken: 'shop-token' });
    expect(config.stores['main']).toMatchObject({ kind: 'shopify', endpoint: undefined });
    expect(config.stores['main']?.writeBack.sections).toEqual({ namespace: 'catalog' });
    expect(config.server.adminToken).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('works without any file of the operator’s', () => {
    const { config } = loadConfig({ env: {}, cwd: '/srv' });
    expect(config.server).toMatchObject({ host: '0.0.0.0', port: 3000 });
    expect(config.database).toEqual({ url: 'embedded', dataDir: '/srv/data', migrate: true });
    expect(config.queue.redisUrl).toBeUndefined();
    expect([config.workspaces, config.stores]).toEqual([{}, {}]);
  });

  it('needs no more than address and credentials of a workspace, and workspace, shop and credentials of a store', () => {
    const { config } = files.load(store());
    expect(config.workspaces['w']).toMatchObject({
      requestsPerSecond: 10,
      webhook: { toleranceSeconds: 1200, register: true },
      generation: { mode: 'auto', batchSize: 50, maxPerRun: 1000, minCreditsRemaining: 0 },
      tasks: { pollSeconds: 60, success: ['SUCCESS'] },
    });
    expect(config.stores['s']).toMatchObject({
      kind: 'shopify',
      apiVersion: '2026-10',
      schedule: { cron: '0 2 * * *', timezone: 'UTC', fullEvery: 7 },
      filter: { status: ['ACTIVE'], query: '' },
      limits: { maxChangedShare: 1, maxOrphanedShare: 0.2 },
      deleted: 'keep',
      mapping: { openAttributes: [], mpn: '', asin: '' },
      writeBack: { mode: 'auto', onConflict: 'skip', sections: null, locales: [] },
    });
  });

  it('prefers --config to STORE_SYNC_CONFIG', () => {
    const one = files.file('server: { port: 1 }', 'one.yaml');
    const two = files.file('server: { port: 2 }', 'two.yaml');
    expect(loadConfig({ configFile: one, env: { STORE_SYNC_CONFIG: two } }).config.server.port).toBe(1);
    expect(loadConfig({ env: { STORE_SYNC_CONFIG: two } }).config.server.port).toBe(2);
  });

  it('lets PORT win over a port that a file fixes', () => {
    expect(files.load('server: { port: 4000 }', { PORT: '5000' }).config.server.port).toBe(5000);
    expect(files.refusal('server: { port: 4000 }', { PORT: 'http' })).toBe(
      'server.port: expected a number, not text (environment variable PORT)',
    );
  });

  it('merges maps and replaces lists', () => {
    const { config } = files.load('server: { host: 127.0.0.1 }\n' + workspace('tasks: { success: [DONE] }'));
    expect(config.server).toMatchObject({ host: '127.0.0.1', port: 3000 });
    expect(config.workspaces['w']?.tasks.success).toEqual(['DONE']);
    expect(config.workspaces['w']?.tasks.failure).toContain('REVOKED');
  });

  it('takes a section that is left empty as its defaults', () => {
    expect(files.load('server:\nstores:\nworkspaces:\n').config.server.port).toBe(3000);
  });

  it('takes numbers and switches from the environment', () => {
    const { config } = files.load(
      `database: { migrate: "\${MIGRATE}" }\n${workspace('requestsPerSecond: ${RATE:-2.5}', 'webhook: { toleranceSeconds: "${NONE:-}" }')}`,
      { MIGRATE: 'false' },
    );
    expect(config.database.migrate).toBe(false);
    expect(config.workspaces['w']).toMatchObject({
      requestsPerSecond: 2.5,
      webhook: { toleranceSeconds: 1200 },
    });
  });

  it('freezes the result to its leaves', () => {
    const { config } = files.load(store());
    expect(Object.isFrozen(config.stores['s']?.writeBack.fields)).toBe(true);
    expect(Object.isFrozen(config.stores['s']?.filter.status)).toBe(true);
    expect(Object.isFrozen(config.database)).toBe(true);
  });

  it('resolves dataDir against the working directory', () => {
    expect(files.load('database: { dataDir: state }').config.database.dataDir).toBe(
      join(files.path, 'state'),
    );
    expect(files.load('database: { dataDir: /var/lib/s }').config.database.dataDir).toBe('/var/lib/s');
  });

  it('names the data directory beside the file when the working directory is another one', () => {
    const configFile = files.file('database: { dataDir: state }');
    const load = (cwd: string) => loadConfig({ configFile, env: {}, cwd });
    expect(load('/srv').dataDirBesideFile).toBe(join(files.path, 'state'));
    expect(load(files.path).dataDirBesideFile).toBeNull();
    expect(files.load('database: { dataDir: /var/lib/s }').dataDirBesideFile).toBeNull();
  });

  it('drops the trailing slash of an address, so that paths can be appended', () => {
    expect(files.load(workspace('baseUrl: https://c.test/api/v1/')).config.workspaces['w']?.baseUrl).toBe(
      'https://c.test/api/v1',
    );
  });
});

describe('the environment', () => {
  it('names key, file, line and variable when one is missing', () => {
    expect(files.refusal(workspace('auth: { apiToken: ${TOKEN} }'))).toBe(
      'workspaces.w.auth.apiToken: the environment variable TOKEN is not set, nor is TOKEN_FILE (config.yaml:4)',
    );
  });

  it('takes a value from the file that NAME_FILE names, without its trailing newline', () => {
    const secret = files.file('se cret\n', 'token');
    const { config } = files.load(workspace('auth: { apiToken: ${TOKEN} }'), { TOKEN_FILE: secret });
    expect(config.workspaces['w']?.auth.apiToken).toBe('se cret');
  });

  it('names the variable when its file cannot be read', () => {
    expect(files.refusal(workspace('auth: { apiToken: ${TOKEN} }'), { TOKEN_FILE: '/nowhere' })).toBe(
      'workspaces.w.auth.apiToken: the file /nowhere that TOKEN_FILE names cannot be read (ENOENT) (config.yaml:4)',
    );
  });

  it('does not ask for variables of settings that a later file replaces', () => {
    expect(files.load('server: { adminToken: fixed }', {}).config.server.adminToken).toBe('fixed');
  });

  it('keeps a value with YAML’s own signs in it as it is', () => {
    const value = 'a: "b" # c, {d} \\ ${E}';
    expect(
      files.load(workspace('auth: { apiToken: ${TOKEN} }'), { TOKEN: value }).config.workspaces['w']?.auth
        .apiToken,
    ).toBe(value);
  });
});

describe('the one-line refusal of', () => {
  function refused(content: string, expected: string | RegExp): void {
    const refusal = files.refusal(content);
    expect(refusal).toMatch(expected);
    expect(refusal).not.toContain('\n');
  }

  it.each([
    [
      'servr: {}',
      /^servr: unknown key; did you mean server\? expected one of: server, .*\(config\.yaml:1\)$/,
    ],
    ['colour: red', /^colour: unknown key; expected one of: server, .*\(config\.yaml:1\)$/],
    ['workspaces:\n  w: { auth: {} }', 'workspaces.w.baseUrl: missing; expected text (config.yaml:2)'],
    ['server: { host: {} }', 'server.host: expected text, not a map (config.yaml:1)'],
    ['server: x', 'server: expected a map, not text (config.yaml:1)'],
    ['server: { port: 70000 }', 'server.port: expected at most 65535 (config.yaml:1)'],
    ['server: { publicUrl: "http://sync.test" }', /^server\.publicUrl: expected an https: URL/],
    ['database: { url: "mysql://x" }', /^database\.url: expected "embedded", or a URL of the form postgres:/],
    ['queue: { redisUrl: "http://x" }', /^queue\.redisUrl: expected a URL of the form redis:/],
    ['workspaces: { "a/b": {} }', /^workspaces\.a\/b: expected a name of letters, /],
    ['server: {\n  port: 1\nstores: {}', /^not YAML: .* \(config\.yaml:\d+:\d+\)$/],
    ['server: {}\nserver: {}', 'not YAML: Map keys must be unique (config.yaml:2:1)'],
    ['server: *x', /^not YAML: Unresolved alias/],
    ['- server', 'expected a map of settings (config.yaml)'],
    ['a: 1\n---\nb: 2', 'not YAML: Source contains multiple documents (config.yaml:2:1)'],
  ])('%j', refused);

  it.each(['*', '!', '!x!', '|', '>', '"\\u'])('a secret after %s, without quoting it', (sign) => {
    expect(() => files.load(`server: { publicUrl: "" }\ndatabase:\n  url: ${sign}canary-5e1f`)).toThrow(
      /^not YAML: (?!.*canary)/,
    );
  });

  it.each([
    [
      'generation: { batchSize: 1.5 }',
      /^workspaces\.w\.generation\.batchSize: expected a whole number \(config\.yaml:5\)$/,
    ],
    [
      'generation: { request: { path: x } }',
      /^workspaces\.w\.generation\.request\.path: expected a path that starts with \//,
    ],
    [
      'locale: ${my-locale}',
      /^workspaces\.w\.locale: expected \$\{NAME\} or \$\{NAME:-default\} \(config\.yaml:5\)$/,
    ],
    ['baseUrl: catalog.test', /expected an absolute URL/],
    ['baseUrl: http://catalog.test/api/v1', /^workspaces\.w\.baseUrl: expected an https: URL/],
    // It only looks local.
    ['baseUrl: http://127.0.0.1.evil.test/api/v1', /expected an https: URL/],
    ['baseUrl: https://u:p@catalog.test/api/v1', /expected a URL without credentials in it/],
    ['auth: { apiToken: "${T:-}" }', /^workspaces\.w\.auth: expected apiToken, or email and password/],
    ['auth: { apiToken: x, email: a@b.test }', /^workspaces\.w\.auth: expected email and password together/],
    ['concurrency: 8', /^workspaces\.w\.concurrency: no longer a setting; remove it: .*\(config\.yaml:5\)$/],
    [
      'firstLoad: csv',
      /^workspaces\.w\.firstLoad: no longer a setting; remove it: .*store-sync catalog upload/,
    ],
    [
      'assumptions: { uploadCsv: { columns: { title: Title } } }',
      /^workspaces\.w\.assumptions\.uploadCsv\.columns: no longer a setting; remove it: /,
    ],
  ])('a workspace with %s', (setting, expected) => {
    refused(workspace(setting), expected);
  });

  it.each([
    [
      'limits: { maxChanged: 1 }',
      /^stores\.s\.limits\.maxChanged: unknown key; did you mean maxChangedShare\? expected one of: maxChangedShare, maxOrphanedShare, maxWritesPerRun, maxWritesPerDay \(config\.yaml:7\)$/,
    ],
    ['deleted: [keep]', 'stores.s.deleted: expected "keep" or "report" or "delete" (config.yaml:7)'],
    ['endpoint: http://proxy.test', /^stores\.s\.endpoint: expected an https: URL/],
    ['auth: {}', /^stores\.s\.auth: expected either accessToken, or clientId and clientSecret/],
    [
      'auth: { accessToken: x, clientId: y, clientSecret: z }',
      /^stores\.s\.auth: expected either accessToken/,
    ],
    ['shop: example.com', /^stores\.s\.shop: expected a shop domain/],
    ['apiVersion: "2026-11"', /^stores\.s\.apiVersion: expected a version such as "2026-10"/],
    ['schedule: { cron: "61 * * * *" }', /^stores\.s\.schedule\.cron: expected a cron expression/],
    [
      'schedule: { cron: "0 0 30 2 *" }',
      /^stores\.s\.schedule\.cron: expected a cron expression that comes due/,
    ],
    ['schedule: { timezone: Mars/Base }', /^stores\.s\.schedule\.timezone: expected a time zone/],
    ['workspace: other', /^stores\.s\.workspace: expected a workspace of this configuration \(w\)/],
    ['writeBack: { fields: { name: handle } }', /^stores\.s\.writeBack\.fields\.name: expected "title" or/],
    [
      'writeBack: { fields: { sku: title } }',
      /^stores\.s\.writeBack\.fields\.sku: expected name, description,/,
    ],
    [
      'writeBack: { fields: { name: title, sections.t: title } }',
      /^stores\.s\.writeBack\.fields: expected each store field once/,
    ],
  ])('a store with %s', (setting, expected) => {
    refused(store(setting), expected);
  });

  it('two stores of one shop', () => {
    const two = `${store()}  t: { workspace: w, shop: one.myshopify.com, auth: { accessToken: x } }\n`;
    expect(files.refusal(two)).toMatch(
      /^stores\.t\.shop: expected a shop that no other store has \(stores\.s has it\)/,
    );
  });

  it('several problems, all of them in the same line', () => {
    expect(files.refusal('server: { port: x, hots: y }')).toMatch(
      /^server\.port: .*; server\.hots: unknown key/,
    );
  });

  it('a file that is not there, by its name', () => {
    expect(() => loadConfig({ configFile: '/nowhere/c.yaml', env: {} })).toThrow(
      'there is no such configuration file (/nowhere/c.yaml)',
    );
  });

  it('without ever repeating a value', () => {
    const canary = 'canary-1f0e';
    for (const content of [
      workspace(`baseUrl: http://${canary}/`),
      store(`auth: { accessToken: [${canary}] }`),
      store(`apiVersion: ${canary}`),
      store(`deleted: ${canary}`),
      `database: { url: "${canary}" }`,
      `server: { port: ${canary} }`,
      `server: "${canary}" ${canary}`,
    ]) {
      expect(files.refusal(content)).not.toContain(canary);
    }
  });
});

describe('loopback addresses', () => {
  it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://127.9.8.7', 'http://[::1]:3000'])(
    '%s may be plain http',
    (url) => {
      expect(files.load(store(`endpoint: "${url}"`)).config.stores['s']).toHaveProperty('endpoint', url);
    },
  );
});
