import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { configDirectory, store, WORKSPACE } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

let directory: string;
let count = 0;
beforeEach(() => {
  count += 1;
  directory = `stores-${String(count)}.d`;
  mkdirSync(join(files.path, directory));
});

function put(name: string, text: string): void {
  writeFileSync(join(files.path, directory, name), text);
}

function storeFile(key: string, shop: string, more = ''): string {
  return `stores: { ${key}: { workspace: w, shop: ${shop}, auth: { accessToken: "\${TOKEN}" }${more} } }\n`;
}

const env = { TOKEN: 'token' };
const main = (): string => `${WORKSPACE}storesDir: ./${directory}\n`;

describe('storesDir', () => {
  it('adds the stores of all its YAML files, and reads no other files', () => {
    put('b.yaml', storeFile('two', 'two.myshopify.com'));
    put('a.yml', storeFile('one', 'one.myshopify.com'));
    put('notes.txt', 'not: [yaml');
    put('.hidden.yaml', 'not: [yaml');
    const { config, files: read } = files.load(main(), env);
    expect(Object.keys(config.stores)).toEqual(['one', 'two']);
    expect(config.stores['one']?.auth).toEqual({ accessToken: 'token' });
    expect(read.slice(-2).map((path) => path.replace(`${files.path}/${directory}/`, ''))).toEqual([
      'a.yml',
      'b.yaml',
    ]);
  });

  it('adds to the stores of the main file', () => {
    put('a.yaml', storeFile('two', 'two.myshopify.com'));
    const { config } = files.load(`${store()}storesDir: ./${directory}\n`, env);
    expect(Object.keys(config.stores)).toEqual(['s', 'two']);
  });

  it('may come from the environment, and an empty text means none', () => {
    put('a.yaml', storeFile('one', 'one.myshopify.com'));
    const text = `${WORKSPACE}storesDir: \${STORES_DIR:-}\n`;
    expect(Object.keys(files.load(text, { ...env, STORES_DIR: directory }).config.stores)).toEqual(['one']);
    expect(files.load(text, env).config.stores).toEqual({});
  });

  it('names file and line of a problem in a store', () => {
    put('a.yaml', storeFile('one', 'one.myshopify.com', ', shape: round'));
    expect(files.refusal(main(), env)).toContain(`(${directory}/a.yaml:1)`);
  });

  it('refuses a store that stands in two files', () => {
    put('a.yaml', storeFile('one', 'one.myshopify.com'));
    put('b.yaml', storeFile('one', 'two.myshopify.com'));
    expect(files.refusal(main(), env)).toBe(
      `stores.one: the store is also in ${directory}/a.yaml; expected it in one file (${directory}/b.yaml:1)`,
    );
  });

  it('refuses other settings in its files', () => {
    put('a.yaml', 'server: { port: 1 }\n');
    expect(files.refusal(main(), env)).toBe(
      `server: unknown key in a file of storesDir; expected only stores (${directory}/a.yaml:1)`,
    );
  });

  it('refuses a directory that cannot be read', () => {
    const text = `${WORKSPACE}storesDir: ./nowhere.d\n`;
    expect(files.refusal(text)).toBe(
      'storesDir: the directory nowhere.d cannot be read (ENOENT) (config.yaml)',
    );
  });
});
