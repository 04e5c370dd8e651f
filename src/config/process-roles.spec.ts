import { afterAll, describe, expect, it } from '@jest/globals';
import { configDirectory, store } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

describe('server.roles', () => {
  it.each([
    ['server: {}', {}, ['receive', 'work', 'admin']],
    ['server: { roles: [work] }', {}, ['work']],
    ['server: { roles: [work] }', { STORE_SYNC_ROLES: 'receive, admin' }, ['receive', 'admin']],
    ['server: { roles: [work] }', { STORE_SYNC_ROLES: '' }, ['work']],
  ])('of %s with %j is %j', (text, env, expected) => {
    expect(files.load(text, env).config.server.roles).toEqual(expected);
  });

  it('given by the flag win over the environment', () => {
    const { config } = files.load('server: {}', { STORE_SYNC_ROLES: 'work' }, { roles: 'admin' });
    expect(config.server.roles).toEqual(['admin']);
  });

  it('refuse a role that does not exist, and say where it was given', () => {
    expect(files.refusal('server: {}', { STORE_SYNC_ROLES: 'receive,works' })).toBe(
      'server.roles[1]: expected "receive" or "work" or "admin" (environment variable STORE_SYNC_ROLES)',
    );
    expect(files.refusal('server: { roles: [] }')).toContain('server.roles: must not be empty');
  });
});

describe('a process that only receives', () => {
  const text = store('auth: { accessToken: "${NOT_SET}" }');

  it('reads no credentials of stores and workspaces', () => {
    const { config } = files.load(text, { STORE_SYNC_ROLES: 'receive' }, {});
    expect(config.stores['s']?.auth).toMatchObject({ accessToken: 'not-read-by-the-role-receive' });
    expect(config.workspaces['w']?.auth.apiToken).toBe('not-read-by-the-role-receive');
  });

  it('reads neither the tokens of the API nor the receivers of notifications', () => {
    const settings = `${text}
server: { adminToken: '\${NOT_SET}', tokens: { anna: { token: '\${NOT_SET}', role: viewer } } }
notifications: { webhookUrl: '\${NOT_SET}', events: { webhookUrl: '\${NOT_SET}', secret: '\${NOT_SET}' } }`;
    const { server, notifications } = files.load(settings, { STORE_SYNC_ROLES: 'receive' }, {}).config;
    expect([server.adminToken, server.tokens]).toEqual([undefined, {}]);
    expect([notifications.webhookUrl, notifications.events]).toEqual([undefined, {}]);
  });

  it.each([
    ['a daemon with another role too', { STORE_SYNC_ROLES: 'receive,work' }, {}],
    ['a command', { STORE_SYNC_ROLES: 'receive' }, undefined],
  ])('is not %s, which needs them', (_who, env, daemon) => {
    expect(files.refusal(text, env, daemon)).toContain(
      'stores.s.auth.accessToken: the environment variable NOT_SET is not set',
    );
  });
});
