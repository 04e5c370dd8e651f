import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { configDirectory } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);
mkdirSync(join(files.path, 'secrets'));
const put = (name: string, text: string): void => writeFileSync(join(files.path, 'secrets', name), text);
put('TOKEN', 'from the file\n');
put('..data', 'hidden');

const content = (more = ''): string =>
  `secretsDir: ./secrets\nworkspaces: { w: { baseUrl: "https://catalog.test/api/v1", auth: { apiToken: "\${TOKEN}" } } }\n${more}`;
const token = (env: Record<string, string> = {}): string | undefined =>
  files.load(content(), env).config.workspaces['w']?.auth.apiToken;

describe('secretsDir', () => {
  it('gives a reference the content of the file of its name, without the trailing newline', () => {
    expect(token()).toBe('from the file');
  });

  it.each([
    ['UTF-8', Buffer.from('\ufefffrom the file\n')],
    ['UTF-16', Buffer.from('\ufefffrom the file\r\n', 'utf16le')],
  ])('leaves out the byte-order mark of a file in %s', (_encoding, bytes) => {
    writeFileSync(join(files.path, 'secrets', 'TOKEN'), bytes);
    expect(token()).toBe('from the file');
    put('TOKEN', 'from the file\n');
  });

  it('gives up a file that never ends', () => {
    const endless = content('server: { adminToken: "${ADMIN_TOKEN}" }\n');
    expect(files.refusal(endless, { ADMIN_TOKEN_FILE: '/dev/zero' })).toMatch(
      /^server\.adminToken: the file \/dev\/zero that ADMIN_TOKEN_FILE names cannot be read \(EFBIG\)/,
    );
  });

  it('is not used where the environment has the variable', () => {
    expect(token({ TOKEN: 'from the environment' })).toBe('from the environment');
    expect(token({ TOKEN_FILE: files.file('from another file', 'other') })).toBe('from another file');
    expect(token({ TOKEN: '' })).toBe('from the file');
  });

  it('that cannot be read is an error with its path', () => {
    expect(files.refusal('secretsDir: ./nowhere\n')).toBe(
      'secretsDir: the directory nowhere cannot be read (ENOENT) (config.yaml)',
    );
  });

  it('without the file leaves the reference unset', () => {
    const missing = content('server: { adminToken: "${ADMIN_TOKEN}" }\n');
    expect(files.refusal(missing)).toMatch(
      /^server\.adminToken: the environment variable ADMIN_TOKEN is not/,
    );
  });
});
