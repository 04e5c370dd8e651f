import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { demoCatalogCsv } from '../demo-catalog/demo-catalog.js';
import type { RunningStoreSandbox, SandboxProduct } from './index.js';
import { call, sandbox, stopSandboxes } from '../../../test/support/sandbox/store-caller.js';

const file = readFileSync(
  new URL('../../../test/fixtures/shopify/shopify-queries.graphql', import.meta.url),
  'utf8',
);
const documents = new Map(
  file
    .split(/^# (?=[A-Z_]+$)/m)
    .slice(1)
    .map((part): [string, string] => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]),
);

/** The variables of each document, chosen so that it has an effect. */
function variablesOf(name: string, product: SandboxProduct, bulkId: string): Record<string, unknown> {
  const digest = createHash('sha256').update(product.title).digest('hex');
  const variables: Record<string, Record<string, unknown>> = {
    BULK_RUN: { query: documents.get('BULK_PRODUCTS') },
    BULK_POLL: { id: bulkId },
    BULK_CANCEL: { id: bulkId },
    PRODUCTS_PAGE: { first: 50, query: 'status:active,draft,archived,unlisted' },
    PRODUCT_DETAIL: { id: product.gid, ns: 'custom' },
    PRODUCT_UPDATE: { product: { id: product.gid, title: 'Another title' } },
    METAFIELDS_SET: {
      metafields: [
        {
          ownerId: product.gid,
          namespace: 'catalog',
          key: 'fit',
          type: 'single_line_text_field',
          value: 'Slim',
        },
      ],
    },
    WEBHOOK_CREATE: {
      topic: 'PRODUCTS_UPDATE',
      sub: { uri: 'https://sync.example.com/hook', includeFields: ['id', 'updated_at'] },
    },
    TRANSLATABLE: { id: product.gid, locale: 'de' },
    TRANSLATE: {
      id: product.gid,
      t: [{ locale: 'de', key: 'title', value: 'Titel', translatableContentDigest: digest }],
    },
    FILE_ALT: { files: [{ id: `gid://shopify/MediaImage/${product.media[0]?.id ?? 0}`, alt: 'Front view' }] },
    TAGS_ADD: { id: product.gid, tags: ['new'] },
  };
  return variables[name] ?? {};
}

async function startedExport(store: RunningStoreSandbox): Promise<string> {
  interface Started {
    readonly bulkOperationRunQuery: { readonly bulkOperation: { readonly id: string } };
  }
  const variables = { query: documents.get('BULK_PRODUCTS') };
  const { body } = await call<Started>(store, documents.get('BULK_RUN')!, variables);
  return body.data.bulkOperationRunQuery.bulkOperation.id;
}

afterEach(stopSandboxes);

describe('the documents that store-sync may send', () => {
  const sent = [...documents.keys()].filter((name) => name !== 'BULK_PRODUCTS');

  it.each(sent)('%s is executed without errors', async (name) => {
    const store = await sandbox();
    const [product] = store.loadCsv(demoCatalogCsv());
    const { status, body } = await call<Record<string, { userErrors?: unknown }>>(
      store,
      documents.get(name)!,
      variablesOf(name, product!, await startedExport(store)),
    );
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    const [payload] = Object.values(body.data);
    expect(payload?.userErrors ?? []).toEqual(name === 'BULK_CANCEL' ? [expect.anything()] : []);
  });

  it('BULK_PRODUCTS is accepted as an export', async () => {
    const store = await sandbox();
    store.loadCsv(demoCatalogCsv());
    expect(await startedExport(store)).toMatch(/^gid:\/\/shopify\/BulkOperation\/\d+$/);
  });
});

describe('access', () => {
  it('answers 401 to a wrong token', async () => {
    const { status, body } = await call(await sandbox(), '{ shop { id } }', {}, { token: 'shpat_wrong' });
    expect({ status, body }).toEqual({
      status: 401,
      body: { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' },
    });
  });

  it('exchanges client credentials for a token that expires', async () => {
    let time = Date.parse('2026-11-19T12:00:00Z');
    const store = await sandbox({
      clientId: 'id',
      clientSecret: 'secret',
      accessToken: null,
      clock: () => new Date(time),
    });
    const exchange = async (secret: string): Promise<Response> => {
      const form = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'id',
        client_secret: secret,
      });
      return fetch(`${store.url}/admin/oauth/access_token`, { method: 'POST', body: form });
    };
    expect((await exchange('wrong')).status).toBe(400);
    const granted = (await (await exchange('secret')).json()) as { access_token: string; expires_in: number };
    expect(granted).toMatchObject({ scope: expect.stringContaining('write_products'), expires_in: 86_399 });
    const statusNow = async (): Promise<number> =>
      (await call(store, '{ shop { id } }', {}, { token: granted.access_token })).status;
    expect(await statusNow()).toBe(200);
    time += 86_400_000;
    expect(await statusNow()).toBe(401);
  });

  it('denies what a missing scope covers, names the scope, and answers the rest', async () => {
    const store = await sandbox({ scopes: ['read_products'] });
    const { body } = await call(
      store,
      '{ products(first: 1) { nodes { id } } translatableResource(resourceId: "gid://shopify/Product/1") { resourceId } }',
    );
    expect(body.data).toEqual({ products: { nodes: [] }, translatableResource: null });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'ACCESS_DENIED',
      requiredAccess: expect.stringContaining('read_translations'),
    });
  });

  it.each([
    ['2026-10', '2026-10'],
    ['2026-07', '2026-07'],
    ['2024-01', '2026-01'],
  ])('serves a request for version %s as %s', async (asked, served) => {
    const { headers } = await call(await sandbox(), '{ shop { id } }', {}, { version: asked });
    expect(headers.get('x-shopify-api-version')).toBe(served);
  });

  it('does not serve versions that do not exist', async () => {
    expect((await call(await sandbox(), '{ shop { id } }', {}, { version: '2031-01' })).status).toBe(404);
  });
});

describe('look-ups', () => {
  it('give nodes of every kind by id, in the order asked for, and null for what is not there', async () => {
    const store = await sandbox();
    const [product] = store.loadCsv(demoCatalogCsv());
    const [variant] = product!.variants;
    const image = `gid://shopify/MediaImage/${product!.media[0]!.id}`;
    const metafield = `gid://shopify/Metafield/${product!.metafields[0]!.id}`;
    const ids = [
      variant!.gid,
      'gid://shopify/Product/1',
      image,
      metafield,
      product!.gid,
      'gid://shopify/Order/1',
    ];
    const query = 'query N($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
    const { body } = await call<{ nodes: ({ id: string } | null)[] }>(store, query, { ids });
    expect(body.data.nodes.map((node) => node?.id ?? null)).toEqual([
      ids[0],
      null,
      image,
      metafield,
      ids[4],
      null,
    ]);
  });

  it('count products, up to the limit that is asked for', async () => {
    const store = await sandbox();
    store.loadCsv(demoCatalogCsv());
    const query =
      '{ all: productsCount { count precision } some: productsCount(limit: 5) { count precision } archived: productsCount(query: "status:archived") { count } }';
    expect((await call(store, query)).body.data).toEqual({
      all: { count: store.products.list().length, precision: 'EXACT' },
      some: { count: 5, precision: 'AT_LEAST' },
      archived: { count: 1 },
    });
  });

  it('list the versions that are supported, the candidate and unstable', async () => {
    const { body } = await call<{ publicApiVersions: { handle: string; supported: boolean }[] }>(
      await sandbox(),
      '{ publicApiVersions { handle supported } }',
    );
    expect(
      body.data.publicApiVersions.map(({ handle, supported }) => `${handle} ${String(supported)}`),
    ).toEqual([
      ...['2026-01', '2026-04', '2026-07', '2026-10'].map((handle) => `${handle} true`),
      ...['2027-01', 'unstable'].map((handle) => `${handle} false`),
    ]);
  });
});

describe('documents that are wrong', () => {
  it('are answered with 200, and neither data nor cost', async () => {
    const { status, body } = await call(await sandbox(), 'query Wrong { shop { colour } }');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['errors']);
  });

  it('get RESOURCE_NOT_FOUND and a null field for an id of another type, and plain null for an unknown one', async () => {
    const store = await sandbox();
    const other = await call(store, '{ product(id: "gid://shopify/Order/1") { id } }');
    expect(other.body).toMatchObject({
      data: { product: null },
      errors: [{ extensions: { code: 'RESOURCE_NOT_FOUND' } }],
    });
    const unknown = await call(store, '{ product(id: "gid://shopify/Product/1") { id } }');
    expect(unknown.body).toMatchObject({ data: { product: null } });
    expect(unknown.body.errors).toBeUndefined();
  });

  it('get BAD_REQUEST for a connection without a size', async () => {
    const { body } = await call(await sandbox(), '{ products { nodes { id } } }');
    expect(body).toMatchObject({
      data: null,
      errors: [{ message: 'you must provide one of first or last', extensions: { code: 'BAD_REQUEST' } }],
    });
  });
});
