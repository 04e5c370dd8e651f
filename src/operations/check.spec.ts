import { describe, expect, it } from '@jest/globals';
import { loadConfig } from '../config/index.js';
import { dashboardFinding, publicUrlFinding } from './check.js';

const REMOTE = [{ key: 'default', baseUrl: 'https://catalog.example.com/api/v1' }];
const LOCAL = [{ key: 'default', baseUrl: 'http://127.0.0.1:4000/api/v1' }];

describe('the public URL', () => {
  it.each([
    ['https://sync.example.com', REMOTE, 'ok'],
    ['https://203.0.113.7', REMOTE, 'ok'],
    ['http://127.0.0.1:3000', LOCAL, 'ok'],
    [undefined, REMOTE, 'warn'],
    ['http://localhost:3000', REMOTE, 'warn'],
    ['http://[::1]:3000', REMOTE, 'warn'],
    ['https://10.1.2.3', REMOTE, 'warn'],
    ['https://172.32.0.9', REMOTE, 'ok'],
    ['https://192.168.1.4', REMOTE, 'warn'],
    ['https://[fd00::1]', REMOTE, 'warn'],
    ['https://store-sync.internal', REMOTE, 'warn'],
  ] as const)('%s, for %j: %s', (url, workspaces, level) => {
    expect(publicUrlFinding(url, workspaces).level).toBe(level);
  });

  it('that nobody can reach is named together with what cannot reach it', () => {
    const { detail } = publicUrlFinding('https://10.1.2.3', REMOTE);
    expect(detail).toContain('https://10.1.2.3');
    expect(detail).toContain('workspace default (https://catalog.example.com/api/v1)');
  });
});

describe('the dashboard and the API', () => {
  const { server } = loadConfig({ env: {}, cwd: '/srv' }).config;

  it('are off without any token, and the setting that turns them on is named', () => {
    expect(dashboardFinding(server)).toMatchObject({
      level: 'warn',
      detail: expect.stringContaining('ADMIN_TOKEN'),
    });
  });

  it('are on with the admin token, or with a named one', () => {
    const named = { ops: { token: 'a token of enough signs', role: 'viewer' } } as const;
    expect(dashboardFinding({ ...server, adminToken: 'a token of enough signs' }).level).toBe('ok');
    expect(dashboardFinding({ ...server, tokens: named }).level).toBe('ok');
  });
});
