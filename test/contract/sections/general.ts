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

  rule(
    'GEN-03',
    async (contract) => {
      const product = await contract.create({ name: 'Kettle' });
      const generation = await contract.api.post('/products/generate/', { product_ids: [product.id] });
      expect(generation.body).toEqual({ task_id: expect.any(String) });
      const upload = await contract.api.call('POST', '/products/upload-csv/', {
        raw: { type: 'text/csv', bytes: `sku\n${contract.unique()}\n` },
      });
      expect(upload.body).toEqual({ task_id: expect.any(String) });
      const model = await contract.api.post('/products/', { variants: [{ sku: contract.unique() }] });
      expect(model.body).toEqual({ background_task_id: expect.any(Number) });
    },
    { needs: ['sandbox'] },
  );

  rule('GEN-04', async (contract) => {
    const product = await contract.create({
      name: 'Kettle',
      description: 'Boils',
      open_attributes: { colour: 'red' },
    });
    const german = { name: 'Kessel', description: 'Kocht', open_attributes: { farbe: 'rot' } };
    await contract.api.patch(`/products/${product.id}/`, german, { locale: 'de' });
    expect(await contract.read(product.id, { locale: 'de' })).toMatchObject(german);
    expect(await contract.read(product.id)).toMatchObject({
      name: 'Kettle',
      description: 'Boils',
      open_attributes: { colour: 'red' },
    });
  });

  rule(
    'GEN-05',
    async (contract) => {
      const product = await contract.create({ name: 'Kettle' });
      await contract.api.patch(`/products/${product.id}/`, { name: 'Kessel' }, { locale: 'de' });
      const { defaultLocale } = contract.own.sandbox;
      expect((await contract.read(product.id))['name']).toBe('Kettle');
      expect((await contract.read(product.id, { locale: defaultLocale }))['name']).toBe('Kettle');
      await contract.api.patch(`/products/${product.id}/`, { name: 'Big kettle' }, { locale: defaultLocale });
      expect((await contract.read(product.id))['name']).toBe('Big kettle');
    },
    { needs: ['sandbox'] },
  );

  rule(
    'GEN-06',
    async ({ api }) => {
      expect((await api.get('/products/')).status).toBe(200);
      expectDetail(await api.get('/products'), 404);
    },
    { needs: ['sandbox'] },
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

  rule(
    'ERROR-03',
    async ({ own }) => {
      const { token } = await own.sandbox.issueApiToken('narrow', { scopes: ['products'] });
      expectDetail(await own.api.as(token).get('/settings/webhooks/'), 403);
    },
    { needs: ['sandbox'] },
  );

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

  rule('CREATE-19', async ({ api }) => {
    const broken = { type: 'application/json', bytes: '{"sku": ' };
    expectDetail(await api.call('POST', '/products/', { raw: broken }), 400);
  });

  rule('CREATE-18', async ({ own }) => {
    const bytes = JSON.stringify({ description: 'x'.repeat(10 * 1024 * 1024) });
    expectDetail(await own.api.call('POST', '/products/', { raw: { type: 'application/json', bytes } }), 413);
    const fits = await own.api.post('/products/', { description: 'x'.repeat(900_000) });
    expect(productOf(fits)['description']).toHaveLength(900_000);
  });
}
