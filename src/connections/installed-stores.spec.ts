import { describe, expect, it } from '@jest/globals';
import { parseSettings } from '../config/index.js';
import { keyFor, withInstalled } from './installed-stores.js';

const CATALOG = {
  baseUrl: 'https://catalog.example.com/api/v1',
  auth: { apiToken: 'token-0123456789abcdef' },
};
const TEMPLATE = { auth: { clientId: 'app', clientSecret: 'secret-0123456789abcdef' } };

function configured(workspaces: Record<string, object>, workspace: string) {
  const parsed = parseSettings({
    server: { encryptionKey: 'c2hhcmVkIHNlY3JldCBvZiB0aGUgdGVzdHMsIDMyIGI=' },
    ...{ workspaces, storeTemplate: { ...TEMPLATE, workspace } },
  });
  if (!('config' in parsed)) throw new Error(parsed.problems.join('; '));
  return parsed.config;
}

const installed = (...names: string[]) =>
  names.map((name) => ({ shop: `${name}.myshopify.com`, storeKey: name }));

it('the key of an installed shop is its name, or one that no other shop can have', () => {
  const taken = new Set(['second']);
  const install = (shop: string): string | null => {
    const key = keyFor(`${shop}.myshopify.com`, (each) => taken.has(each));
    taken.add(key ?? '');
    return key;
  };
  expect(install('shopify-second')).toBe('shopify-second');
  expect(install('second')).toBe('shopify_second');
});

describe('the workspace of an installed shop', () => {
  it('is that of the template', () => {
    const { config } = withInstalled(configured({ default: CATALOG }, 'default'), installed('one', 'two'));
    expect(Object.values(config.stores).map(({ workspace }) => workspace)).toEqual(['default', 'default']);
  });

  it('is its own with {shop} in the template; a shop without one is left out', () => {
    const own = configured({ 'tenant-one': CATALOG, 'tenant-two': CATALOG }, 'tenant-{shop}');
    const { config, left } = withInstalled(own, installed('one', 'two', 'three'));
    expect(Object.entries(config.stores).map(([key, { workspace }]) => [key, workspace])).toEqual([
      ['one', 'tenant-one'],
      ['two', 'tenant-two'],
    ]);
    expect(left).toEqual(['three.myshopify.com']);
  });
});
