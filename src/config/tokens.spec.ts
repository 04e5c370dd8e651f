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

describe('a token of two names', () => {
  it.each([
    [
      'of the administrator and a viewer',
      `adminToken: ${'a'.repeat(20)}, tokens: { ann: { token: ${'a'.repeat(20)}, role: viewer } }`,
      /server\.tokens\.ann\.token: expected another token than server\.adminToken/,
    ],
    [
      'of two holders',
      'tokens: { ann: { token: secret, role: viewer }, bob: { token: secret, role: admin } }',
      /server\.tokens\.bob\.token: expected another token than server\.tokens\.ann\.token/,
    ],
  ])('%s is refused', (_whose, server, refusal) => {
    expect(files.refusal(`server: { ${server} }\nworkspaces: {}\nstores: {}\n`)).toMatch(refusal);
  });
});

describe('an encryption key without randomness', () => {
  const random = '0123456789abcdef'.repeat(4);
  it.each(['0'.repeat(64), 'ab'.repeat(32), `${random},${'0'.repeat(64)}`, `${random},`])(
    'such as %s is refused',
    (key) => {
      const text = `server: { encryptionKey: "${key}" }\nworkspaces: {}\nstores: {}\n`;
      expect(files.refusal(text)).toMatch(/server\.encryptionKey: expected 32 random bytes/);
    },
  );
});
