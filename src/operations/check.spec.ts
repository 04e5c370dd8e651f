import { describe, expect, it } from '@jest/globals';
import { publicUrlFinding } from './check.js';

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
    ['https://172.20.0.9', REMOTE, 'warn'],
    ['https://172.32.0.9', REMOTE, 'ok'],
    ['https://192.168.1.4', REMOTE, 'warn'],
    ['https://[fd00::1]', REMOTE, 'warn'],
    ['https://worker', REMOTE, 'warn'],
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
