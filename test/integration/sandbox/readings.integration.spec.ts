import { describe, expect, it } from '@jest/globals';
import { READINGS, type CatalogReadings } from '../../../src/sandbox/catalog/readings.js';
import {
  SandboxControl,
  expectDetail,
  expectFieldErrors,
  productOf,
  taskEnd,
} from '../../contract/harness.js';
import { pageShape } from '../../contract/shapes.js';

type Options = Parameters<typeof SandboxControl.start>[0];

/** Runs `test` against a sandbox of its own that has these readings. */
function under(
  readings: Partial<CatalogReadings>,
  test: (own: SandboxControl) => Promise<void>,
  options: Options = {},
) {
  return async (): Promise<void> => {
    const own = await SandboxControl.start({ ...options, readings });
    try {
      await test(own);
    } finally {
      await own.stop();
    }
  };
}

async function create(own: SandboxControl, body: object): Promise<number> {
  return productOf(await own.api.post('/products/', body)).id;
}

async function createModel(
  own: SandboxControl,
  externalId: string,
  skus: readonly string[],
): Promise<number> {
  const variants = skus.map((sku) => ({ external_id: `${externalId}:${sku}`, sku }));
  const answer = await own.api.post('/products/', { external_id: externalId, variants });
  await taskEnd(own.api, (answer.body as { background_task_id: number }).background_task_id);
  return productOf(await own.api.post('/products/', { external_id: externalId })).id;
}

async function variantSkus(own: SandboxControl, id: number): Promise<unknown[]> {
  const page = pageShape.parse((await own.api.get(`/products/${id}/variants/`)).body);
  return page.results.map((variant) => variant['sku']);
}

describe('readings of the catalog sandbox', () => {
  it('refuses a match order that does not name each identifier once', () => {
    expect(() => READINGS.parse({ matchOrder: ['sku', 'sku', 'mpn', 'asin', 'barcode'] })).toThrow(
      /matchOrder/,
    );
  });

  it(
    'POST matches a variant by default',
    under({}, async (own) => {
      const model = await createModel(own, 'model', ['S-1']);
      const matched = productOf(await own.api.post('/products/', { external_id: 'other', sku: 'S-1' }));
      expect(matched.id).not.toBe(model);
      expect(await variantSkus(own, model)).toEqual(['S-1']);
      expect(matched).toMatchObject({ external_id: 'other' });
    }),
  );

  it(
    'postMatchesVariants: false refuses the SKU of a variant instead of matching it',
    under({ postMatchesVariants: false }, async (own) => {
      await createModel(own, 'model', ['S-1']);
      expectFieldErrors(await own.api.post('/products/', { external_id: 'other', sku: 'S-1' }), 'sku');
    }),
  );

  it(
    'patchObjects: merge keeps the keys that a PATCH does not name',
    under({ patchObjects: 'merge' }, async (own) => {
      const id = await create(own, { metadata: { a: 1, b: 1 }, open_attributes: { c: 1 } });
      const patched = await own.api.patch(`/products/${id}/`, {
        metadata: { b: 2 },
        open_attributes: { d: 2 },
      });
      expect(productOf(patched)).toMatchObject({ metadata: { a: 1, b: 2 }, open_attributes: { c: 1, d: 2 } });
    }),
  );

  it(
    'clearing: null refuses an empty text',
    under({ clearing: 'null' }, async (own) => {
      const id = await create(own, { sku: 'S-1', name: 'a' });
      expectFieldErrors(await own.api.patch(`/products/${id}/`, { sku: '', name: '' }), 'name', 'sku');
      expect(productOf(await own.api.patch(`/products/${id}/`, { name: null, sku: null }))).toMatchObject({
        name: null,
        sku: null,
      });
    }),
  );

  it(
    'clearing: blank refuses null and clears by an empty value',
    under({ clearing: 'blank' }, async (own) => {
      const id = await create(own, { sku: 'S-1', url: 'https://example.com/', metadata: { a: 1 } });
      expectFieldErrors(
        await own.api.patch(`/products/${id}/`, { sku: null, variants: [{ sku: null }] }),
        'sku',
        'variants.0.sku',
      );
      const cleared = await own.api.patch(`/products/${id}/`, { sku: '', url: '', metadata: {} });
      expect(productOf(cleared)).toMatchObject({ sku: null, url: null, metadata: {} });
    }),
  );

  it(
    'clearing: ignored-null leaves a field that is null as it is',
    under({ clearing: 'ignored-null' }, async (own) => {
      const id = await create(own, { sku: 'S-1', name: 'a' });
      expect(productOf(await own.api.patch(`/products/${id}/`, { sku: null, name: '' }))).toMatchObject({
        sku: 'S-1',
        name: null,
      });
    }),
  );

  it(
    'missingLocale: empty answers null texts in a locale without text',
    under({ missingLocale: 'empty' }, async (own) => {
      const id = await create(own, { name: 'Chair', brand: 'Oak' });
      expect(productOf(await own.api.get(`/products/${id}/`, { locale: 'de' }))).toMatchObject({
        name: null,
        brand: 'Oak',
      });
      expect(productOf(await own.api.get(`/products/${id}/`))['name']).toBe('Chair');
      const page = pageShape.parse((await own.api.get('/products/', { locale: 'de' })).body);
      expect(page.results[0]?.['name']).toBeNull();
    }),
  );

  it(
    'missingLocale: not-found answers 404 in a locale without text',
    under({ missingLocale: 'not-found' }, async (own) => {
      const id = await create(own, { name: 'Chair' });
      expectDetail(await own.api.get(`/products/${id}/`, { locale: 'de' }), 404);
      await own.api.patch(`/products/${id}/`, { name: 'Stuhl' }, { locale: 'de' });
      expect(productOf(await own.api.get(`/products/${id}/`, { locale: 'de' }))['name']).toBe('Stuhl');
    }),
  );

  for (const [tasks, status] of [
    ['forbidden', 403],
    ['not-found', 404],
    ['unnamed', 404],
  ] as const) {
    it(
      `tasks: ${tasks} answers ${status} on the paths of background tasks`,
      under({ tasks }, async (own) => {
        const id = await create(own, { name: 'Chair' });
        const { body } = await own.api.post('/products/generate/', { product_ids: [id] });
        expect(body).toEqual(
          tasks === 'unnamed' ? { detail: expect.any(String) } : { task_id: expect.any(String) },
        );
        expectDetail(await own.api.get('/background-tasks/'), status);
        expectDetail(await own.api.get('/background-tasks/1/'), status);
      }),
    );
  }
});

describe('a body that is a JSON null', () => {
  it(
    'is refused, empties no product and creates none',
    under({}, async (own) => {
      const id = await create(own, { name: 'Chair' });
      const before = (await own.api.get('/products/')).body;
      for (const [method, path] of [
        ['PUT', `/products/${id}/`],
        ['PATCH', `/products/${id}/`],
        ['POST', '/products/'],
      ] as const)
        expectFieldErrors(await own.api.call(method, path, { body: null }), 'non_field_errors');
      expect((await own.api.get('/products/')).body).toEqual(before);
    }),
  );
});
