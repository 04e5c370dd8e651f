import { expect } from '@jest/globals';
import type { Contract, RuleTest } from '../harness.js';
import { expectFieldErrors, expectRefusalOf, productOf } from '../harness.js';
import { pageShape } from '../shapes.js';

const FREE_FORM = {
  text: 'wool',
  number: 1.5,
  yes: true,
  nothing: null,
  list: [1, 'two', [3]],
  object: { deep: { deeper: 'value' } },
  'any key, even "this" one': '',
};

/** "Resources and their fields: Product". */
export function productFieldRules(rule: RuleTest): void {
  rule('PROD-01', async ({ api }) => {
    const product = productOf(await api.post('/products/', {}));
    await api.delete(`/products/${product.id}/`);
  });

  for (const [id, field] of [
    ['PROD-02', 'sku'],
    ['PROD-03', 'barcode'],
    ['PROD-04', 'mpn'],
    ['PROD-05', 'asin'],
  ] as const) {
    rule(id, async (contract) => {
      const taken = contract.unique(field);
      await contract.create({ [field]: taken });
      const other = await contract.create({ [field]: contract.unique(field) });
      expectFieldErrors(await contract.api.patch(`/products/${other.id}/`, { [field]: taken }), field);
    });

    rule(
      id,
      {
        note: 'also where a POST matches another product',
        assumes: 'external_id decides which product a POST matches',
      },
      async (contract) => {
        const taken = contract.unique(field);
        await contract.create({ [field]: taken });
        const other = await contract.create({ [field]: contract.unique(field) });
        const request = { external_id: other['external_id'], [field]: taken };
        expectFieldErrors(await contract.api.post('/products/', request), field);
      },
    );
  }

  rule('PROD-06', async (contract) => {
    const body = fullBody(contract);
    expect(await contract.create(body)).toMatchObject(body);
  });

  rule('PROD-07', async ({ api }) => {
    expectFieldErrors(await api.post('/products/', { url: 'not a uri' }), 'url');
  });

  rule('PROD-08', async (contract) => {
    expect((await contract.create({ open_attributes: FREE_FORM }))['open_attributes']).toEqual(FREE_FORM);
    expectFieldErrors(await contract.api.post('/products/', { open_attributes: ['a'] }), 'open_attributes');
  });

  rule('PROD-09', async (contract) => {
    const configuration = { reference_string: 'red kettle', source_url: 'https://example.com/kettle' };
    const product = await contract.create({ crawl_configuration: configuration });
    expect(product['crawl_configuration']).toMatchObject(configuration);
    const answer = await contract.api.post('/products/', { crawl_configuration: { source_url: 'nowhere' } });
    expectRefusalOf(answer, 'crawl_configuration');
  });

  rule('PROD-10', async (contract) => {
    const images = [
      { source_url: 'https://example.com/b.png', order: 1 },
      { source_url: 'https://example.com/a.png', order: 0 },
    ];
    expect((await contract.create({ images }))['images']).toMatchObject(images);
    for (const image of [
      { source_url: 'nowhere', order: 0 },
      { source_url: 'https://example.com/a.png', order: 'first' },
    ]) {
      expect((await contract.api.post('/products/', { images: [image] })).status).toBe(400);
    }
  });

  rule('PROD-11', async (contract) => {
    expect((await contract.create({ metadata: FREE_FORM }))['metadata']).toEqual(FREE_FORM);
    expectFieldErrors(await contract.api.post('/products/', { metadata: 'a' }), 'metadata');
  });

  rule('PROD-12', { assumes: 'a product list need not exist before' }, async (contract) => {
    const lists = [contract.unique('list'), contract.unique('list')];
    expect((await contract.create({ product_lists: lists }))['product_lists']).toEqual(lists);
    expect((await contract.api.post('/products/', { product_lists: [7] })).status).toBe(400);
  });

  rule(
    'PROD-13',
    { note: 'answered as they were sent', assumes: 'a tag need not exist before' },
    async (contract) => {
      expect((await contract.create({ tags_to_update: [3, 1, 2] }))['tags_to_update']).toEqual([3, 1, 2]);
    },
  );

  rule('PROD-13', async ({ api }) => {
    expectRefusalOf(await api.post('/products/', { tags_to_update: ['red'] }), 'tags_to_update');
  });

  rule('PROD-14', async (contract) => {
    const sku = contract.unique('sku');
    const model = await contract.createModel([{ sku, name: 'Large', open_attributes: { size: 'L' } }]);
    const [variant] = await contract.variantsOf(model.id);
    expect(variant).toMatchObject({ sku, name: 'Large', open_attributes: { size: 'L' } });
  });

  rule(
    'PROD-14',
    { note: 'variants of variants', assumes: 'the path of variants serves a variant too' },
    async (contract) => {
      const sku = contract.unique('sku');
      const inner = { sku: `${sku}-red`, brand: 'Acme' };
      const model = await contract.createModel([{ sku, name: 'Large', variants: [inner] }]);
      const [variant] = await contract.variantsOf(model.id);
      expect(await contract.variantsOf(variant?.id ?? 0)).toMatchObject([inner]);
    },
  );

  rule('PROD-15', async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    expect(product).toMatchObject({
      id: expect.any(Number),
      is_product_model: false,
      sections: expect.any(Array),
    });
    expect(Math.abs(Date.parse(product.created_at) - Date.now())).toBeLessThan(24 * 3600 * 1000 * 30);
  });

  rule('PROD-16', async (contract) => {
    expect((await contract.createModel([{ sku: contract.unique() }])).is_product_model).toBe(true);
    expect((await contract.create()).is_product_model).toBe(false);
  });

  rule('PROD-17', async (contract) => {
    const written = {
      id: 1,
      is_product_model: true,
      created_at: '2001-01-01T00:00:00Z',
      sections: [{ code: 'mine' }],
    };
    const product = await contract.create(written);
    expect(product).toMatchObject({ is_product_model: false, sections: [] });
    expect(product.id).not.toBe(1);
    expect(product.created_at).not.toMatch(/^2001/);
  });

  rule('PROD-18', async (contract) => {
    const sku = contract.unique('sku');
    const model = await contract.createModel([{ sku }]);
    const standalone = await contract.create();
    expectFieldErrors(await contract.api.patch(`/products/${standalone.id}/`, { sku }), 'sku');
    const other = contract.unique('sku');
    await contract.create({ sku: other });
    expectFieldErrors(
      await contract.api.patch(`/products/${model.id}/`, { variants: [{ sku: other }] }),
      'variants.0.sku',
    );
    expectFieldErrors(
      await contract.api.patch(`/products/${model.id}/`, {
        variants: [{ barcode: other }, { barcode: other }],
      }),
      'variants.1',
    );
  });

  rule('PROD-20', async (contract) => {
    const name = contract.unique('name');
    const model = await contract.createModel([{ sku: contract.unique(), name }], { name: `${name} model` });
    const listed = pageShape.parse((await contract.api.get('/products/', { search: name })).body);
    expect(listed.results.map((product) => product.id)).toEqual([model.id]);
    expect(await contract.variantsOf(model.id)).toMatchObject([{ name }]);
  });

  rule(
    'PROD-20',
    { note: 'by its own id', assumes: 'GET /products/{id}/ serves a variant too' },
    async (contract) => {
      const name = contract.unique('name');
      const model = await contract.createModel([{ sku: contract.unique(), name }]);
      const [variant] = await contract.variantsOf(model.id);
      expect((await contract.read(variant?.id ?? 0))['name']).toBe(name);
    },
  );

  rule('PROD-21', async (contract) => {
    expect((await contract.create({ category: 'Home > Kitchen' }))['category']).toBe('Home > Kitchen');
  });
}

/** Every writable field with a value that no other product has. */
export function fullBody(contract: Contract): Record<string, unknown> {
  return {
    external_id: contract.unique('external'),
    sku: contract.unique('sku'),
    barcode: contract.unique('barcode'),
    mpn: contract.unique('mpn'),
    asin: contract.unique('asin'),
    brand: 'Acme',
    category: 'Home > Kitchen',
    name: 'Kettle',
    description: 'Boils water',
    url: 'https://example.com/kettle',
    html_description: '<p>Boils water</p>',
    open_attributes: { colour: 'red' },
    crawl_configuration: { reference_string: 'kettle', source_url: 'https://example.com/source' },
    images: [{ source_url: 'https://example.com/kettle.png', order: 0 }],
    metadata: { origin: 'contract' },
    ...(contract.target.control === undefined ? {} : LISTS_AND_TAGS),
  };
}

/** A service may know its lists and tags: only a sandbox of the suite's own is sure to take any. */
const LISTS_AND_TAGS = { product_lists: ['contract'], tags_to_update: [7] };
