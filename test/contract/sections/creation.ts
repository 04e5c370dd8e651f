import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { Api } from '../api.js';
import {
  inOwnSandbox,
  expectDetail,
  expectFieldErrors,
  productOf,
  taskEnd,
  type RuleTest,
} from '../harness.js';
import { pageShape, type Product } from '../shapes.js';
import { fullBody } from './product-fields.js';

const IDENTIFIERS = ['sku', 'barcode', 'mpn', 'asin'] as const;

/** "POST /products/". */
export function creationRules(rule: RuleTest): void {
  rule('CREATE-01', async (contract) => {
    const body = fullBody(contract);
    const product = await contract.create(body);
    expect(await contract.read(product.id)).toMatchObject(body);
  });

  for (const [id, field] of [
    ['CREATE-02', 'external_id'],
    ['CREATE-03', 'barcode'],
    ['CREATE-04', 'sku'],
    ['CREATE-05', 'mpn'],
    ['CREATE-06', 'asin'],
  ] as const) {
    rule(id, async (contract) => {
      const value = contract.unique(field);
      const product = await contract.create({ [field]: value, name: 'before' });
      const matched = productOf(await contract.api.post('/products/', { [field]: value, name: 'after' }));
      expect(matched).toMatchObject({ id: product.id, name: 'after', [field]: value });
      expect((await contract.read(product.id))['name']).toBe('after');
    });
  }

  rule(
    'CREATE-04',
    {
      note: 'also one that has another external_id, which is overwritten',
      assumes: 'a match writes the external_id',
    },
    async (contract) => {
      const sku = contract.unique('sku');
      const product = await contract.create({ sku, external_id: contract.unique() });
      const other = contract.unique();
      expect(productOf(await contract.api.post('/products/', { sku, external_id: other }))).toMatchObject({
        id: product.id,
        external_id: other,
      });
    },
  );

  rule('CREATE-07', async (contract) => {
    const body = fullBody(contract);
    const first = await contract.create(body);
    const second = productOf(await contract.api.post('/products/', body));
    expect(second).toEqual(first);
    expect(await contract.read(first.id)).toEqual(second);
  });

  rule('CREATE-07', { note: 'also when equal requests arrive at once' }, async (contract) => {
    const body = fullBody(contract);
    const answers = await Promise.all(Array.from({ length: 8 }, () => contract.api.post('/products/', body)));
    const products = answers.map((answer) => contract.remember(productOf(answer)));
    expect(new Set(products.map(({ id }) => id)).size).toBe(1);
  });

  rule('CREATE-08', async (contract) => {
    const skus = [contract.unique('sku'), contract.unique('sku')].sort();
    const model = await contract.createModel(skus.map((sku) => ({ sku })));
    expect(model.is_product_model).toBe(true);
    const variants = await contract.variantsOf(model.id);
    expect(variants.map((variant) => String(variant['sku'])).sort()).toEqual(skus);
  });

  rule('CREATE-09', async (contract) => {
    const product = await contract.create({ name: 'Kettle' });
    const again = {
      external_id: product['external_id'],
      name: 'Bouilloire',
      open_attributes: { couleur: 'rouge' },
    };
    const answer = await contract.api.post('/products/', again, { locale: contract.locale });
    expect(productOf(answer)['name']).toBe('Bouilloire');
    expect((await contract.read(product.id))['name']).toBe('Kettle');
  });

  rule('CREATE-10', async ({ api }) => {
    expectFieldErrors(await api.post('/products/', { url: 'nowhere', name: 5 }), 'url', 'name');
  });

  rule('CREATE-11', async ({ api }) => {
    expectDetail(await api.as(null).post('/products/', { name: 'Kettle' }), 401);
  });

  rule('CREATE-12', async (contract) => {
    const { api, unique } = contract;
    const body = { external_id: unique() };
    const created = await api.post('/products/', body);
    contract.remember(productOf(created));
    expect(created.status).toBe(201);
    expect((await api.post('/products/', body)).status).toBe(200);
    expect((await api.post('/products/', { variants: [{ sku: unique() }] })).status).toBe(202);
    expect((await api.post('/products/', { ...body, variants: [{ sku: unique() }] })).status).toBe(200);
  });

  rule('CREATE-13', async (contract) => {
    const order = ['external_id', 'barcode', 'sku', 'mpn', 'asin'] as const;
    const products = await Promise.all(
      order.map((field) => contract.create({ [field]: contract.unique(field) })),
    );
    for (const [index, product] of products.entries()) {
      const named = order.slice(index).map((field, offset) => [field, products[index + offset]?.[field]]);
      const answer = await contract.api.post('/products/', Object.fromEntries(named));
      // Matched by the first, so that the others' identifiers are in use elsewhere; the last one matches alone.
      const others = order.slice(index + 1);
      if (others.length > 0) expectFieldErrors(answer, ...others);
      else expect(productOf(answer).id).toBe(product.id);
    }
  });

  rule('CREATE-15', async (contract) => {
    const body = fullBody(contract);
    await contract.create(body);
    const matched = await contract.api.post('/products/', {
      external_id: body['external_id'],
      brand: 'Other',
    });
    expect(productOf(matched)).toMatchObject({ ...body, brand: 'Other' });
  });

  inOwnSandbox(rule, 'CREATE-16', { backgroundDelayMs: 60_000 }, async (own) => {
    const accepted = await own.api.post('/products/', {
      external_id: 'm',
      sku: 'm',
      variants: [{ sku: 'v1' }, { sku: 'v2' }],
    });
    productOf(await own.api.post('/products/', { sku: 'v2' }));
    own.clock.advance(60_000);
    const { background_task_id: taskId } = accepted.body as { background_task_id: number };
    const task = await taskEnd(own.api, taskId);
    expect(task).toMatchObject({ status: 'FAILURE', error: expect.stringContaining('variants.1.sku') });
    expect(
      pageShape.parse((await own.api.get('/products/')).body).results.map((product) => product['sku']),
    ).toEqual(['v2']);
  });

  inOwnSandbox(rule, 'CREATE-17', {}, async (own) => {
    await fc.assert(
      fc.asyncProperty(fc.array(upserts, { minLength: 1, maxLength: 8 }), async (requests) => {
        for (const { method, body } of requests) {
          const target = method === 'POST' ? undefined : await anyProductId(own.api);
          if (target === undefined) await own.api.post('/products/', body);
          else await own.api.call(method, `/products/${target}/`, { body });
        }
        expect(await repeatedIdentifiers(own.api)).toEqual([]);
      }),
      { numRuns: 12, seed: 20_261_120 },
    );
  });

  inOwnSandbox(rule, 'CREATE-07', { note: 'whatever it names, variants included' }, async (own) => {
    await fc.assert(
      fc.asyncProperty(upsertBody, async (body) => {
        const matched = { ...body, external_id: 'the one' };
        productOf(await own.api.post('/products/', { external_id: 'the one' }));
        const first = await own.api.post('/products/', matched);
        expect(await own.api.post('/products/', matched)).toMatchObject({
          status: first.status,
          body: first.body,
        });
      }),
      { numRuns: 25, seed: 20_261_120 },
    );
  });
}

const value = fc.constantFrom('a', 'b', 'c', '', null);
const identifiers = { sku: value, barcode: value, mpn: value, asin: value, external_id: value };
const upsertBody = fc.record(
  {
    ...identifiers,
    name: fc.string(),
    variants: fc.array(fc.record(identifiers, { requiredKeys: [] }), { maxLength: 3 }),
  },
  { requiredKeys: [] },
);
const upserts = fc.record({ method: fc.constantFrom('POST', 'POST', 'PUT', 'PATCH'), body: upsertBody });

async function allProducts(api: Api): Promise<Product[]> {
  const { results } = pageShape.parse((await api.get('/products/', { page_size: '500' })).body);
  const details = await Promise.all(
    results.map(async ({ id }) => productOf(await api.get(`/products/${id}/`))),
  );
  return details.flatMap((product) => [product, ...((product['variants'] as Product[] | undefined) ?? [])]);
}

async function anyProductId(api: Api): Promise<number | undefined> {
  return pageShape.parse((await api.get('/products/', { page_size: '1' })).body).results[0]?.id;
}

async function repeatedIdentifiers(api: Api): Promise<string[]> {
  const products = await allProducts(api);
  return IDENTIFIERS.flatMap((field) => {
    const values = products.map((product) => product[field]).filter((bearing) => typeof bearing === 'string');
    return values.filter((text, index) => values.indexOf(text) !== index).map((text) => `${field} ${text}`);
  });
}
