import { expect } from '@jest/globals';
import { expectDetail, expectFieldErrors, expectSuccess, productOf, type RuleTest } from '../harness.js';
import { pageShape } from '../shapes.js';
import { fullBody } from './product-fields.js';

const IDENTIFIERS = ['sku', 'barcode', 'mpn', 'asin'] as const;

/** "GET, PUT, PATCH and DELETE /products/{id}/". */
export function productRules(rule: RuleTest): void {
  rule('GET-01', async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    expect(await contract.read(product.id)).toEqual(product);
  });

  rule('GET-02', async (contract) => {
    const product = await contract.create({ name: 'Kettle', brand: 'Acme' });
    const { locale } = contract;
    const translated = { external_id: product['external_id'], name: 'Kessel' };
    await contract.api.post('/products/', translated, { locale });
    expect(await contract.read(product.id, { locale })).toMatchObject({
      name: 'Kessel',
      brand: 'Acme',
    });
  });

  rule('GET-03', async ({ api }) => {
    expectDetail(await api.get('/products/0/'), 404);
  });

  rule('GET-04', async ({ api }) => {
    expectDetail(await api.get('/products/abc/'), 404);
  });

  rule(
    'GET-04',
    { note: 'whatever it is', assumes: 'nothing on the way refuses such a path' },
    async ({ api }) => {
      for (const id of ['1.5', '-1', '99999999999999999999', '%00', '..%2f..']) {
        expectDetail(await api.get(`/products/${id}/`), 404);
      }
    },
  );

  rule('GET-05', async (contract) => {
    const sku = contract.unique('sku');
    const model = await contract.createModel([{ sku }]);
    expect(await contract.read(model.id)).toMatchObject({ variants: [{ sku, variants: [] }] });
  });

  rule('PUT-01', async (contract) => {
    const product = await contract.create(fullBody(contract));
    const answer = await contract.api.put(`/products/${product.id}/`, { name: 'Only a name' });
    expectSuccess(answer);
    const replaced = await contract.read(product.id);
    expect(replaced['name']).toBe('Only a name');
    for (const field of [...IDENTIFIERS, 'brand', 'category', 'description', 'url', 'external_id']) {
      expect([field, replaced[field] ?? '']).toEqual([field, '']);
    }
    expect(replaced).toMatchObject({ id: product.id, created_at: product.created_at });
    for (const field of ['images', 'open_attributes', 'metadata']) {
      expect([field, [{}, [], null]]).toEqual([field, expect.arrayContaining([replaced[field] ?? null])]);
    }
  });

  rule('PUT-02', async (contract) => {
    const product = await contract.create();
    const replaced = productOf(await contract.api.put(`/products/${product.id}/`, { name: 'Kettle' }));
    expect(replaced).toEqual(await contract.read(product.id));
  });

  rule('PUT-05', async (contract) => {
    const [a, b, c] = [contract.unique('sku'), contract.unique('sku'), contract.unique('sku')];
    const model = await contract.createModel([
      { sku: a, external_id: a },
      { sku: b, external_id: b },
    ]);
    const before = await contract.variantsOf(model.id);
    // The kept variant takes over the identifier of the one that goes.
    const answer = await contract.api.put(`/products/${model.id}/`, {
      variants: [{ external_id: a, sku: b }, { sku: c }],
    });
    expect(productOf(answer)).toMatchObject({
      variants: [{ id: before[0]?.id, external_id: a, sku: b }, { sku: c }],
    });
    productOf(await contract.api.put(`/products/${model.id}/`, { name: 'x' }));
    expect(await contract.variantsOf(model.id)).toHaveLength(2);
    productOf(await contract.api.put(`/products/${model.id}/`, { variants: [] }));
    expect(await contract.variantsOf(model.id)).toEqual([]);
  });

  rule('PATCH-01', async (contract) => {
    const body = fullBody(contract);
    const product = await contract.create(body);
    await contract.api.patch(`/products/${product.id}/`, { brand: 'Other' });
    expect(await contract.read(product.id)).toEqual({ ...product, brand: 'Other' });
    await contract.api.patch(`/products/${product.id}/`, {});
    expect(await contract.read(product.id)).toEqual({ ...product, brand: 'Other' });
  });

  rule('PATCH-02', async (contract) => {
    const product = await contract.create();
    const updated = productOf(await contract.api.patch(`/products/${product.id}/`, { name: 'Kettle' }));
    expect(updated).toEqual(await contract.read(product.id));
  });

  for (const [id, method] of [
    ['PUT-03', 'PUT'],
    ['PATCH-03', 'PATCH'],
  ] as const) {
    rule(id, async (contract) => {
      const taken = contract.unique('barcode');
      await contract.create({ barcode: taken });
      const product = await contract.create({ name: 'before' });
      const answer = await contract.api.call(method, `/products/${product.id}/`, {
        body: { name: 'after', barcode: taken },
      });
      expectFieldErrors(answer, 'barcode');
      expect(await contract.read(product.id)).toEqual(product);
    });
  }

  for (const [id, method] of [
    ['PUT-04', 'PUT'],
    ['PATCH-04', 'PATCH'],
    ['DELETE-02', 'DELETE'],
  ] as const) {
    rule(id, async ({ api }) => {
      expectDetail(
        await api.call(method, '/products/0/', method === 'DELETE' ? {} : { body: { name: 'x' } }),
        404,
      );
    });
  }

  rule('PATCH-05', async (contract) => {
    const body = fullBody(contract);
    const product = await contract.create(body);
    const nulls = Object.fromEntries(Object.keys(body).map((field) => [field, null]));
    const emptied = productOf(await contract.api.patch(`/products/${product.id}/`, nulls));
    expect(emptied).toMatchObject({
      sku: null,
      name: null,
      url: null,
      images: [],
      metadata: {},
      tags_to_update: [],
    });
  });

  for (const [id, method] of [
    ['PUT-06', 'PUT'],
    ['PATCH-07', 'PATCH'],
  ] as const) {
    rule(id, async (contract) => {
      const { locale } = contract;
      const product = await contract.create({ name: 'Kettle' });
      await contract.api.call(method, `/products/${product.id}/`, {
        body: { name: 'Kessel' },
        query: { locale },
      });
      expect((await contract.read(product.id, { locale }))['name']).toBe('Kessel');
      expect((await contract.read(product.id))['name']).toBe('Kettle');
    });
  }

  rule('PATCH-06', async (contract) => {
    const [a, b, c] = [contract.unique('sku'), contract.unique('sku'), contract.unique('sku')];
    const model = await contract.createModel([{ sku: a }, { sku: b, barcode: b, name: 'B' }]);
    const [first, second] = await contract.variantsOf(model.id);
    const variants = [{ id: first?.id, sku: c }, { barcode: b, brand: 'Acme' }, { mpn: c }];
    const updated = productOf(await contract.api.patch(`/products/${model.id}/`, { variants }));
    expect(updated['variants']).toMatchObject([
      { id: first?.id, sku: c },
      { id: second?.id, sku: b, name: 'B', brand: 'Acme' },
      { mpn: c },
    ]);
    const twice = [{ id: first?.id }, { sku: c }];
    expectFieldErrors(await contract.api.patch(`/products/${model.id}/`, { variants: twice }), 'variants.1');
    // Two variants may exchange an identifier in one request.
    const exchange = [
      { id: first?.id, sku: b },
      { id: second?.id, sku: c },
    ];
    const exchanged = productOf(await contract.api.patch(`/products/${model.id}/`, { variants: exchange }));
    expect(exchanged['variants']).toMatchObject([{ sku: b }, { sku: c }, { mpn: c }]);
  });

  rule('DELETE-01', async (contract) => {
    const product = await contract.create();
    expect(await contract.api.delete(`/products/${product.id}/`)).toMatchObject({
      status: 204,
      body: undefined,
    });
    expectDetail(await contract.api.get(`/products/${product.id}/`), 404);
  });

  rule('DELETE-03', async (contract) => {
    const sku = contract.unique('sku');
    const model = await contract.createModel([{ sku }]);
    const [variant] = await contract.variantsOf(model.id);
    await contract.api.delete(`/products/${model.id}/`);
    expectDetail(await contract.api.get(`/products/${variant?.id ?? 0}/`), 404);
    expect((await contract.create({ sku })).id).not.toBe(variant?.id);
  });

  rule('VAR-01', async (contract) => {
    const skus = [contract.unique('sku'), contract.unique('sku')].sort();
    const model = await contract.createModel(skus.map((sku) => ({ sku })));
    const variants = await contract.variantsOf(model.id);
    expect(variants.map((variant) => String(variant['sku'])).sort()).toEqual(skus);
  });

  rule('VAR-02', async (contract) => {
    const model = await contract.createModel([1, 2, 3].map(() => ({ sku: contract.unique('sku') })));
    const first = pageShape.parse(
      (await contract.api.get(`/products/${model.id}/variants/`, { page_size: '2' })).body,
    );
    expect(first).toMatchObject({ count: 3, previous: null, results: [{}, {}] });
    const second = pageShape.parse((await contract.api.get(first.next ?? '')).body);
    expect(second).toMatchObject({ count: 3, next: null, results: [{}] });
  });

  rule('VAR-03', async (contract) => {
    const product = await contract.create();
    const sku = contract.unique('sku');
    const path = `/products/${product.id}/variants/`;
    const added = await contract.api.post(path, { sku, name: 'Large' });
    expect(added).toMatchObject({ status: 201, body: { sku, name: 'Large' } });
    const matched = await contract.api.post(path, { sku, name: 'Extra large' });
    expect(matched).toMatchObject({ status: 200, body: { id: productOf(added).id, name: 'Extra large' } });
    expect((await contract.read(product.id)).is_product_model).toBe(true);
    const taken = contract.unique('sku');
    await contract.create({ sku: taken });
    expectFieldErrors(await contract.api.post(path, { sku: taken }), 'sku');
  });

  rule('VAR-04', { assumes: 'what the path of variants answers' }, async ({ api }) => {
    expectDetail(await api.get('/products/0/variants/'), 404);
  });
}
