import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

/** Files of an operator that the documents name: configuration, secrets and the embedded database. */
function operatorFiles(): string[] {
  const texts = ['README.md', 'compose.yaml', 'compose.stores.yaml', 'config/example.yaml'].map((file) =>
    readFileSync(file, 'utf8'),
  );
  const named = texts.flatMap((text) => [
    ...[...text.matchAll(/--config (\S+\.yaml)/g)].map(([, file = '']) => file),
    ...[...text.matchAll(/--(?:token|secret)-file (\S+)/g)].map(([, file = '']) => file),
    ...[...text.matchAll(/([\w.-]+\.secrets\/\w+)/g)].map(([, file = '']) => file),
    ...[...text.matchAll(/STORE_SYNC_CONFIG=([\w.-]+\.yaml)/g)].map(([, file = '']) => file),
    ...[...text.matchAll(/(?:file: |- )\.\/([\w./-]+)/g)].map(([, file = '']) => file),
  ]);
  return [...new Set([...named, 'data/postgres', '.env'])].filter((file) => !file.startsWith('config/'));
}

it('git ignores what the documents have an operator create in a checkout', () => {
  const rules = readFileSync('.gitignore', 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const isIgnored = (file: string): boolean =>
    rules.some((rule) => {
      const plain = rule.replace(/^\//, '').replace(/\/$/, '');
      return file === plain || file.startsWith(`${plain}/`);
    });
  const files = operatorFiles();
  expect(files).toEqual(
    expect.arrayContaining([
      ...['my.yaml', 'store-sync.yaml', 'secrets/admin_token', 'stores.d', 'secrets/stores'],
      ...['store-sync.secrets/ADMIN_TOKEN', 'catalog-token.txt', 'shopify-secret.txt'],
    ]),
  );
  expect(files.filter((file) => !isIgnored(file))).toEqual([]);
});
