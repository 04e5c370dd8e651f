import { afterAll, expect, it } from '@jest/globals';
import { configDirectory } from '../../test/support/config/config-files.js';
import { secretFindings } from '../operations/check.js';
import { weakSecrets, weakTokens } from './index.js';

const files = configDirectory();
afterAll(files.remove);

const { config } = files.load(`
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
  expect(secretFindings(weakSecrets(config)).map(({ level, detail }) => `${level} ${detail}`)).toEqual([
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
  expect(weakTokens(config).map(({ key }) => key)).toEqual(['server.adminToken', 'server.tokens.ann.token']);
});
