import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiPages } from '../../../src/openapi/pages.js';
import { DEFAULT_READINGS, READING_ROWS } from '../../../src/sandbox/catalog/readings.js';
import { startCatalogSandbox, type RunningCatalogSandbox } from '../../../src/sandbox/catalog/index.js';
import { openApiDocument } from '../../../src/sandbox/catalog/openapi.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';

describe('the description of the sandbox', () => {
  let database: TestDatabase;
  let sandbox: RunningCatalogSandbox;

  beforeAll(async () => {
    database = await createTestDatabase();
    sandbox = await startCatalogSandbox({ databaseUrl: database.url, apiPages: openApiPages });
  });

  afterAll(async () => {
    await sandbox.stop();
    await database.drop();
  });

  it('is served as OpenAPI at /docs and /docs-json', async () => {
    const page = await fetch(new URL('/docs', sandbox.baseUrl));
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    const described: unknown = await (await fetch(new URL('/docs-json', sandbox.baseUrl))).json();
    expect(described).toMatchObject({
      openapi: '3.1.0',
      paths: { '/api/v1/products/': { get: {}, post: {} } },
    });
  });

  it('describes no schema that refers to one which is not there', () => {
    const text = JSON.stringify(openApiDocument());
    const names = Object.keys(openApiDocument().components.schemas);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]);
    expect(references.length).toBeGreaterThan(20);
    for (const reference of references)
      expect(names.map((name) => `#/components/schemas/${name}`)).toContain(reference);
  });

  it('describes only paths that exist, and each asks for a scope', async () => {
    const { token } = await sandbox.issueApiToken('none', { scopes: [] });
    for (const [path, operations] of Object.entries(openApiDocument().paths)) {
      for (const method of Object.keys(operations)) {
        const url = new URL(path.replace('{id}', '1'), sandbox.baseUrl);
        const response = await fetch(url, {
          method: method.toUpperCase(),
          headers: { authorization: `Bearer ${token}` },
        });
        // Login and refresh ask for no scope, and miss their fields.
        const expected = /\/(login|refresh)\/$/.test(path) ? 400 : 403;
        expect([method, path, response.status]).toEqual([method, path, expected]);
      }
    }
  });

  it('describes every reading', () => {
    expect(READING_ROWS.map(({ name }) => name)).toEqual(Object.keys(DEFAULT_READINGS));
  });
});
