import { afterAll, describe, expect, it } from '@jest/globals';
import { secretFindings } from '../operations/check.js';
import { describeConfig, environment, logLevel, secretValues, weakSecrets, weakTokens } from './index.js';
import { configDirectory } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

const KEYS = ['f0e1d2c3b4a59687'.repeat(4), '1f2e3d4c5b6a7988'.repeat(4)];

const SECRETS = [
  ...KEYS,
  ...'s-admin s-db%40 s-db@ s-redis s-query%40 s-query@ s-token s-pass s-hmac s-hmac-old'.split(' '),
  ...['s-shop', 's-shop-hook', 's-client'],
];

const { config } = files.load(`
server: { adminToken: s-admin, encryptionKey: "${KEYS.join()}" }
database: { url: "postgres://user:s-db%40@db.test/sync" }
queue: { redisUrl: "rediss://:s-redis@queue.test/0?password=s-query%40&family=4" }
workspaces:
  w:
    baseUrl: https://catalog.test/api/v1
    auth: { apiToken: s-token, email: a@b.test, password: s-pass }
    webhook: { hmacSecret: s-hmac, previousHmacSecret: s-hmac-old }
stores:
  one: { workspace: w, shop: one.myshopify.com, auth: { accessToken: s-shop }, webhookSecret: s-shop-hook }
  two: { workspace: w, shop: two.myshopify.com, auth: { clientId: id, clientSecret: s-client } }
`);

it('secretValues lists every secret, a password in a URL in both spellings', () => {
  expect(secretValues(config).sort()).toEqual([...SECRETS].sort());
});

it('describeConfig shows everything but the secrets', () => {
  const shown = JSON.stringify(describeConfig(config));
  for (const secret of SECRETS) expect(shown).not.toContain(secret);
  expect(shown).toContain('"url":"postgres://user:***@db.test/sync"');
  expect(shown).toContain('"email":"a@b.test"');
  expect(shown).toContain('"clientId":"id","clientSecret":"***"');
});

const { config: weak } = files.load(`
server: { adminToken: admin, tokens: { ann: { token: change-me-change-me, role: viewer } } }
workspaces:
  w:
    baseUrl: https://catalog.test/api/v1
    auth: { apiToken: replace-me-with-the-token, email: a@b.test, password: pass-word }
    webhook: { hmacSecret: hook, previousHmacSecret: "xxxxxxxxxxxxxxxxxxxxxxxx" }
stores:
  one: { workspace: w, shop: one.myshopify.com, auth: { accessToken: shpat_short }, webhookSecret: hush }
  two: { workspace: w, shop: two.myshopify.com, auth: { clientId: id, clientSecret: 5f1c0a9d7e3b5f1c0a9d7e3b } }
`);

it('every secret of the configuration is judged, and named without its value', () => {
  expect(secretFindings(weakSecrets(weak)).map(({ level, detail }) => `${level} ${detail}`)).toEqual([
    'FAIL server.adminToken has fewer than 16 characters: make another: openssl rand -hex 32',
    'FAIL server.tokens.ann.token is a known placeholder: make another: openssl rand -hex 32',
    'FAIL workspaces.w.auth.apiToken is a known placeholder: enter the real one',
    'warn workspaces.w.auth.password has fewer than 16 characters: logs cannot mask it',
    'FAIL workspaces.w.webhook.hmacSecret has fewer than 16 characters: make another: openssl rand -hex 32',
    'FAIL workspaces.w.webhook.previousHmacSecret is a known placeholder: make another: openssl rand -hex 32',
    'warn stores.one.auth.accessToken has fewer than 16 characters: logs cannot mask it',
    'FAIL stores.one.webhookSecret has fewer than 16 characters: make another: openssl rand -hex 32',
  ]);
});

it('the tokens of API and dashboard are those of the server', () => {
  expect(weakTokens(weak).map(({ key }) => key)).toEqual(['server.adminToken', 'server.tokens.ann.token']);
});

describe('LOG_LEVEL', () => {
  it('is info unless it is set', () => {
    expect([logLevel({}), logLevel({ LOG_LEVEL: '' }), logLevel({ LOG_LEVEL: 'Debug' })]).toEqual([
      'info',
      'info',
      'debug',
    ]);
  });

  it('must be a level', () => {
    expect(() => logLevel({ LOG_LEVEL: 'loud' })).toThrow('LOG_LEVEL: expected one of fatal, error');
  });
});

it('environment is a copy that nobody can change', () => {
  expect(Object.isFrozen(environment())).toBe(true);
});
