import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from './load-config.js';
import type { ListedSetting } from './settings-list.js';

const CANARY = 'a-token-of-the-tests-7f3e';
let directory: string;
let settings: ReadonlyMap<string, ListedSetting>;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'store-sync-settings-'));
  const configFile = join(directory, 'own.yaml');
  const text = ['server:', '  publicUrl: https://sync.example.com', '  adminToken: ${ADMIN_TOKEN:-}'];
  writeFileSync(configFile, `${text.join('\n')}\n`);
  const loaded = loadConfig({ configFile, env: { ADMIN_TOKEN: CANARY, PORT: '4000' } });
  settings = new Map(loaded.settings().map((each) => [each.key, each]));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

describe('the list of settings', () => {
  it('names the file and the line that gave a value', () => {
    const { value, origin } = settings.get('server.publicUrl')!;
    expect([value, origin]).toEqual(['https://sync.example.com', expect.stringMatching(/own\.yaml:2$/)]);
  });

  it('masks a secret, and names the variable that gave it', () => {
    const { value, origin } = settings.get('server.adminToken')!;
    expect([value, origin]).toEqual(['***', expect.stringMatching(/own\.yaml:3 \(ADMIN_TOKEN\)$/)]);
    expect(JSON.stringify([...settings.values()])).not.toContain(CANARY);
  });

  it('names the environment variable that goes before the files', () => {
    expect(settings.get('server.port')).toMatchObject({
      value: '4000',
      origin: 'environment variable PORT',
    });
  });

  it('names the source of a setting that the operator left out', () => {
    expect(settings.get('database.migrate')?.origin).toMatch(/built-in default|default\.yaml:\d+/);
  });
});
