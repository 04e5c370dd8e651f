import { afterAll, describe, expect, it } from '@jest/globals';
import { configDirectory, store, WORKSPACE } from '../../test/support/config/config-files.js';
import { ConfigSource } from './index.js';

const files = configDirectory();
afterAll(files.remove);

/** A source whose file was `before` at the start and is `after` now. */
function sourceOf(before: string, after: string): ConfigSource {
  const { config, readAgain } = files.load(before);
  files.file(after);
  return new ConfigSource(config, readAgain);
}

describe('the configuration read again', () => {
  it.each([
    ['another port', `${WORKSPACE}server: { port: 4000 }`, 'server.port: the change needs a restart'],
    ['another database', `${WORKSPACE}database: { url: "postgres://h/d" }`, 'database.url'],
    ['a token', `${WORKSPACE}server: { tokens: { a: { token: abcdefghijklmnop, role: viewer } } }`, 'tokens'],
    ['a file that is no YAML', 'stores: [', 'not YAML'],
    ['an unknown key', `${WORKSPACE}stores: { s: { shape: round } }`, 'unknown key'],
  ])('is refused for %s', (_what, after, reason) => {
    const source = sourceOf(WORKSPACE, after);
    const before = source.current;
    expect(() => source.next()).toThrow(reason);
    expect(source.current).toBe(before);
  });

  it.each([
    ['whose key is renamed', store().replace('  s:\n', '  renamed:\n'), 'stores.renamed'],
    ['that gets another shop', store('shop: two.myshopify.com'), 'stores.s'],
  ])('is refused for a store %s', (_what, after, named) => {
    expect(() => sourceOf(store(), after).next()).toThrow(
      `${named}: a store that is renamed, or gets another shop, needs a restart of store-sync`,
    );
  });

  it('keeps the secrets of before beside the new ones, to mask both', () => {
    const source = sourceOf(
      store('webhookSecret: a-secret-of-before'),
      store('webhookSecret: a-secret-of-after'),
    );
    const known = source.secrets();
    source.accept(source.next());
    expect(source.secrets()).toEqual(expect.arrayContaining(['a-secret-of-before', 'a-secret-of-after']));
    expect(source.secrets()).not.toBe(known);
  });
});
