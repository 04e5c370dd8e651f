import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { DEFAULT_ASSUMPTIONS } from '../catalog/assumptions.js';
import { configDirectory } from '../../test/support/config/config-files.js';

const files = configDirectory();
afterAll(files.remove);

const ENV = {
  CATALOG_API_TOKEN: 'catalog-token',
  CATALOG_WEBHOOK_SECRET: 'hook',
  SHOPIFY_CLIENT_ID: 'client',
  SHOPIFY_CLIENT_SECRET: 'secret',
};

describe('the settings that the program ships', () => {
  it('show exactly the defaults in the comments of default.yaml', () => {
    const shipped = readFileSync(new URL('../../config/default.yaml', import.meta.url), 'utf8');
    const uncommented = shipped
      .replaceAll(/^(workspaces|stores): \{\}$/gm, '$1:')
      .replaceAll(/^#( {2,})/gm, '$1');
    const shown = files.load(uncommented, ENV).config;
    const minimal = files.load(
      'workspaces: { default: { baseUrl: "https://catalog.example.com/api/v1", auth: { apiToken: catalog-token } } }\n' +
        'stores: { main: { workspace: default, shop: example.myshopify.com, auth: { clientId: client, clientSecret: secret } } }',
    ).config;
    const workspaces = [shown.workspaces['default'], minimal.workspaces['default']];
    expect(workspaces[0]).toEqual({ ...workspaces[1], assumptions: DEFAULT_ASSUMPTIONS });
    expect(shown.stores).toEqual(minimal.stores);
  });

  it('are complete in example.yaml', () => {
    const example = readFileSync(new URL('../../config/example.yaml', import.meta.url), 'utf8');
    const names = [...example.matchAll(/\$\{([A-Z_]+)\}/g)].map((match) => match[1] ?? '');
    const env = Object.fromEntries(names.map((name) => [name, 'value']));
    expect(Object.keys(files.load(example, env).config.stores)).toEqual(['main']);
  });
});
