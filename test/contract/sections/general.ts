import { expect } from '@jest/globals';
import { expectDetail, expectFieldErrors, productOf, type RuleTest } from '../harness.js';

/** "What the service does", "Errors" and "Versioning". */
export function generalRules(rule: RuleTest): void {
  rule('GEN-01', async ({ api }) => {
    expect(new URL(api.baseUrl).pathname.endsWith('/api/v1')).toBe(true);
    expect((await api.get('/products/')).status).toBe(200);
  });

  rule('VERSION-01', async ({ api }) => {
    const elsewhere = api.baseUrl.replace(/\/v1$/, '/v9');
    expect((await api.get(`${elsewhere}/products/`)).status).not.toBe(200);
  });

  rule('GEN-02', async ({ api }) => {
    for (const path of ['/products/', '/products/0/']) {
      expect((await api.get(path)).headers.get('content-type')).toMatch(/^application\/json\b/);
    }
  });

  rule('GEN-03', { note: 'a product model' }, async (contract) => {
    const model = await contract.api.post('/products/', { variants: [{ sku: contract.unique() }] });
    expect(model.body).toMatchObject({ background_task_id: expect.any(Number) });
  });

  rule('GEN-03', { note: 'generation', needs: ['generation', 'tasks'] }, async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    expect(await contract.requestGeneration(product.id)).toEqual(expect.any(String));
  });

  rule('GEN-03', { note: 'a CSV upload', assumes: 'the path of the upload' }, async (contract) => {
    const upload = await contract.api.call('POST', '/products/upload-csv/', {
      raw: { type: 'text/csv', bytes: `sku\n${contract.unique()}\n` },
    });
    expect(upload.body).toEqual({ task_id: expect.any(String) });
  });

  rule('GEN-04', async (contract) => {
    const product = await contract.create({
      name: 'Kettle',
      description: 'Boils',
      open_attributes: { colour: 'red' },
    });
    const german = { name: 'Kessel', description: 'Kocht', open_attributes: { farbe: 'rot' } };
    const { external_id } = product;
    await contract.api.post('/products/', { external_id, ...german }, { locale: contract.locale });
    expect(await contract.read(product.id, { locale: contract.locale })).toMatchObject(german);
    expect(await contract.read(product.id)).toMatchObject({
      name: 'Kettle',
      description: 'Boils',
      open_attributes: { colour: 'red' },
    });
  });

  rule('GEN-05', async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    const translated = { external_id: product['external_id'], name: 'Kessel' };
    await contract.api.post('/products/', translated, { locale: contract.locale });
    expect((await contract.read(product.id))['name']).toBe('Kettle');
  });

  rule('GEN-05', { note: 'which can also be named', needs: ['sandbox'] }, async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    await contract.api.patch(`/products/${product.id}/`, { name: 'Kessel' }, { locale: 'de' });
    const { defaultLocale } = contract.own.sandbox;
    expect((await contract.read(product.id))['name']).toBe('Kettle');
    expect((await contract.read(product.id, { locale: defaultLocale }))['name']).toBe('Kettle');
    await contract.api.patch(`/products/${product.id}/`, { name: 'Big kettle' }, { locale: defaultLocale });
    expect((await contract.read(product.id))['name']).toBe('Big kettle');
  });

  rule('GEN-06', async ({ api }) => {
    expect((await api.get('/products/')).status).toBe(200);
    expect((await api.get('/products/0/')).status).toBe(404);
  });

  rule(
    'GEN-06',
    { note: 'without it the answer is 404', assumes: 'the answer without the slash' },
    async ({ api }) => {
      expectDetail(await api.get('/products'), 404);
    },
  );

  rule('ERROR-01', async (contract) => {
    const product = await contract.create({ sku: contract.unique() });
    expectFieldErrors(
      await contract.api.post('/products/', { external_id: product['external_id'], images: 'none' }),
      'images',
    );
  });

  rule('ERROR-02', async ({ api }) => {
    expectDetail(await api.as(null).get('/products/'), 401);
    expectDetail(await api.as('nonsense').get('/products/'), 401);
  });

  rule('ERROR-03', { needs: ['narrow token'] }, async ({ api, target }) => {
    const narrow = api.as(target.narrowToken ?? null);
    const statuses = [];
    for (const path of ['/products/', '/background-tasks/', '/settings/webhooks/'])
      statuses.push((await narrow.get(path)).status);
    expect(statuses).toContain(403);
  });

  rule('ERROR-04', async ({ api }) => {
    expectDetail(await api.get('/products/0/'), 404);
  });

  rule('ERROR-06', async ({ api }) => {
    const answer = await api.post('/products/', { images: 'none', metadata: [], tags_to_update: 'red' });
    expectFieldErrors(answer, 'images', 'metadata', 'tags_to_update');
  });

  rule('ERROR-07', async ({ api }) => {
    expectDetail(await api.get('/no-such-thing/'), 404);
    expectDetail(await api.post('/no-such-thing/', {}), 404);
  });

  rule('ERROR-08', async ({ api }) => {
    const answer = await api.post('/products/', {
      images: [{ source_url: 'nowhere', order: 'first' }],
      variants: [{ sku: 1 }],
    });
    expectFieldErrors(answer, 'images.0.source_url', 'images.0.order', 'variants.0.sku');
  });

  rule('ERROR-09', async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    for (const method of ['PUT', 'PATCH']) {
      const answer = await contract.api.call(method, `/products/${product.id}/`, { body: null });
      expect(answer.status).toBe(400);
    }
    expect((await contract.api.post('/products/', null)).status).toBe(400);
    expect(await contract.read(product.id)).toEqual(product);
  });

  rule('CREATE-19', async ({ api }) => {
    const broken = { type: 'application/json', bytes: '{"sku": ' };
    expectDetail(await api.call('POST', '/products/', { raw: broken }), 400);
  });

  rule('CREATE-18', { needs: ['sandbox'] }, async ({ own }) => {
    const bytes = JSON.stringify({ description: 'x'.repeat(10 * 1024 * 1024) });
    expectDetail(await own.api.call('POST', '/products/', { raw: { type: 'application/json', bytes } }), 413);
    const fits = await own.api.post('/products/', { description: 'x'.repeat(900_000) });
    expect(productOf(fits)['description']).toHaveLength(900_000);
  });
}
