import { afterAll, describe, expect, it } from '@jest/globals';
import { configDirectory } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

const tokens = (name: string): string =>
  `server: { tokens: { ${name}: { token: secret, role: viewer } } }\nworkspaces: {}\nstores: {}\n`;

describe('named tokens', () => {
  it('have any name but that of the admin token, whose role their sessions would get', () => {
    expect(files.load(tokens('ann')).config.server.tokens['ann']?.role).toBe('viewer');
    expect(files.refusal(tokens('admin'))).toMatch(/^server\.tokens: .*another name than admin/);
  });
});
