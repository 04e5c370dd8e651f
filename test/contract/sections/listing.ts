import { expect } from '@jest/globals';
import { inOwnSandbox, expectDetail, expectFieldErrors, type Contract, type RuleTest } from '../harness.js';
import { pageShape, type Product } from '../shapes.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** "GET /products/". Tests narrow the listing to their own products by a brand that nobody else uses. */
export function listingRules(rule: RuleTest): void {
  rule('LIST-01', async ({ api }) => {
    const answer = await api.get('/products/');
    expect(answer.status).toBe(200);
    expect(pageShape.safeParse(answer.body).error).toBeUndefined();
  });

  rule('LIST-02', async (contract) => {
    const brand = contract.unique('brand');
    const model = await contract.createModel([{ sku: contract.unique(), brand }], { brand });
    const standalone = await contract.create({ brand });
    expect(ids(await list(contract, { brand })).sort()).toEqual([standalone.id, model.id].sort());
  });

  rule('LIST-03', async (contract) => {
    const brand = contract.unique('brand');
    const created = await several(contract, 5, { brand });
    const seen: number[] = [];
    let address: string | null = '/products/';
    let query: Record<string, string> = { brand, page_size: '2' };
    while (address !== null) {
      const page = pageShape.parse((await contract.api.get(address, query)).body);
      expect(page.count).toBe(5);
      seen.push(...ids(page.results));
      address = page.next;
      query = {};
    }
    expect(seen.sort()).toEqual(ids(created).sort());
  });

  rule(
    'LIST-03',
    { note: 'previous leads back', assumes: 'page_size sets the size of a page' },
    async (contract) => {
      const brand = contract.unique('brand');
      await several(contract, 3, { brand });
      const first = pageShape.parse((await contract.api.get('/products/', { brand, page_size: '2' })).body);
      expect(first.previous).toBeNull();
      expect(first.next?.startsWith(`${contract.api.baseUrl}/products/?`)).toBe(true);
      const second = pageShape.parse((await contract.api.get(first.next ?? '')).body);
      expect(second.next).toBeNull();
      expect(pageShape.parse((await contract.api.get(second.previous ?? '')).body).results).toEqual(
        first.results,
      );
    },
  );

  rule('LIST-04', async (contract) => {
    const brand = contract.unique('brand');
    const { external_id } = await contract.create({ brand, name: 'Kettle' });
    const { locale } = contract;
    await contract.api.post('/products/', { external_id, name: 'Kessel' }, { locale });
    expect(await list(contract, { brand, locale })).toMatchObject([{ name: 'Kessel' }]);
    expect(await list(contract, { brand })).toMatchObject([{ name: 'Kettle' }]);
  });

  rule('LIST-05', async (contract) => {
    for (const field of ['barcode', 'sku', 'mpn', 'asin', 'name']) {
      const value = contract.unique(field);
      const product = await contract.create({ [field]: value });
      expect([field, ids(await list(contract, { search: value }))]).toEqual([field, [product.id]]);
    }
  });

  rule(
    'LIST-05',
    { note: 'whatever characters it has', assumes: 'search looks for a part of the text' },
    async (contract) => {
      const name = `100%_\\'"; ${contract.unique()}`;
      const product = await contract.create({ name });
      expect(ids(await list(contract, { search: name }))).toEqual([product.id]);
      expect(ids(await list(contract, { search: name.replace('%', 'x') }))).toEqual([]);
    },
  );

  rule('LIST-06', async (contract) => {
    const externalId = contract.unique('external');
    await contract.create({ external_id: externalId });
    expect(await list(contract, { search: externalId })).toEqual([]);
  });

  rule('LIST-07', async (contract) => {
    const brand = contract.unique('brand');
    const product = await contract.create({ brand: `The ${brand} company` });
    expect(ids(await list(contract, { brand }))).toEqual([product.id]);
  });

  rule('LIST-08', async (contract) => {
    const [a, b, c] = [contract.unique('brand'), contract.unique('brand'), contract.unique('brand')];
    const products = [await contract.create({ brand: a }), await contract.create({ brand: b })];
    await contract.create({ brand: c });
    const expected = ids(products).sort();
    expect(ids(await list(contract, { brands: [a, b] })).sort()).toEqual(expected);
    expect(ids(await list(contract, { brands: `${a},${b}` })).sort()).toEqual(expected);
  });

  rule('LIST-09', { needs: ['sandbox'] }, async (contract) => {
    const root = contract.unique('Root');
    const parent = await contract.create({ category: root });
    const child = await contract.create({ category: `${root} > Sub > Leaf` });
    await contract.create({ category: `${root}x > Sub` });
    const { sandbox } = contract.own;
    expect(ids(await list(contract, { category: sandbox.categoryId(root) }))).toEqual([child.id, parent.id]);
    expect(ids(await list(contract, { category: sandbox.categoryId(`${root} > Sub`) }))).toEqual([child.id]);
    expect(await list(contract, { category: '00000000-0000-4000-8000-000000000000' })).toEqual([]);
  });

  rule('LIST-10', async (contract) => {
    const brand = contract.unique('brand');
    await contract.create({ brand, category: 'Home' });
    const without = await contract.create({ brand });
    expect(ids(await list(contract, { brand, category: 'no_category' }))).toEqual([without.id]);
  });

  rule('LIST-11', { assumes: 'a tag need not exist before' }, async (contract) => {
    const brand = contract.unique('brand');
    const first = await contract.create({ brand, tags_to_update: [11, 12] });
    const second = await contract.create({ brand, tags_to_update: [13] });
    await contract.create({ brand, tags_to_update: [14] });
    expect(ids(await list(contract, { brand, tag: '11' }))).toEqual([first.id]);
    expect(ids(await list(contract, { brand, tag: ['12', '13'] }))).toEqual([second.id, first.id]);
  });

  rule('LIST-12', { assumes: 'a tag need not exist before' }, async (contract) => {
    const brand = contract.unique('brand');
    await contract.create({ brand, tags_to_update: [11] });
    const without = await contract.create({ brand });
    expect(ids(await list(contract, { brand, tag: 'none' }))).toEqual([without.id]);
  });

  rule('LIST-13', async (contract) => {
    const brand = contract.unique('brand');
    const product = await contract.create({ brand });
    const day = (offset: number): string =>
      new Date(Date.parse(product.created_at) + offset * DAY_MS).toISOString().slice(0, 10);
    expect(await list(contract, { brand, created_at_after: day(-1) })).toHaveLength(1);
    expect(await list(contract, { brand, created_at_after: day(2) })).toHaveLength(0);
    expect(await list(contract, { brand, created_at_before: day(2) })).toHaveLength(1);
    expect(await list(contract, { brand, created_at_before: day(-1) })).toHaveLength(0);
  });

  rule('LIST-14', async (contract) => {
    const brand = contract.unique('brand');
    const pictured = await contract.create({
      brand,
      images: [{ source_url: 'https://example.com/a.png', order: 0 }],
    });
    const plain = await contract.create({ brand });
    expect(ids(await list(contract, { brand, images: 'true' }))).toEqual([pictured.id]);
    expect(ids(await list(contract, { brand, images: 'false' }))).toEqual([plain.id]);
  });

  rule('LIST-15', { needs: ['generation'] }, async (contract) => {
    const brand = contract.unique('brand');
    const never = await contract.create({ brand, name: 'Kettle' });
    const generated = await contract.create({ brand, name: 'Kettle' });
    await contract.requestGeneration(generated.id);
    await untilGenerated(contract, brand, 1);
    expect(ids(await list(contract, { brand, tasks: 'success' }))).toEqual([generated.id]);
    expect(ids(await list(contract, { brand, tasks: 'none' }))).toEqual([never.id]);
  });

  rule(
    'LIST-15',
    {
      note: 'a failed one is not generated',
      needs: ['failing', 'tasks'],
      assumes: 'the meaning of not_generated',
    },
    async (contract) => {
      const brand = contract.unique('brand');
      const failed = await contract.create({ brand, metadata: { tags: ['sandbox-failed'] } });
      await contract.generate(failed.id);
      expect(ids(await list(contract, { brand, tasks: 'not_generated' }))).toEqual([failed.id]);
    },
  );

  rule('LIST-16', { assumes: 'a product list need not exist before' }, async (contract) => {
    const code = contract.unique('list');
    const product = await contract.create({ product_lists: ['other', code] });
    expect(ids(await list(contract, { product_list: code }))).toEqual([product.id]);
  });

  rule('LIST-17', async (contract) => {
    const brand = contract.unique('brand');
    const created = ids(await several(contract, 3, { brand }));
    expect(ids(await list(contract, { brand, sorting: 'asc' }))).toEqual(created);
    expect(ids(await list(contract, { brand, sorting: 'desc' }))).toEqual([...created].reverse());
    expect(ids(await list(contract, { brand }))).toEqual([...created].reverse());
  });

  rule('LIST-18', { needs: ['generation'] }, async (contract) => {
    const brand = contract.unique('brand');
    const [a, b, c] = ids(await several(contract, 3, { brand, name: 'Kettle' }));
    for (const [count, id] of [b, a].entries()) {
      await contract.requestGeneration(id ?? 0);
      await untilGenerated(contract, brand, count + 1);
    }
    const generated = { brand, tasks: 'success', order_by: 'task' };
    expect(ids(await list(contract, generated))).toEqual([a, b]);
    expect(ids(await list(contract, { ...generated, sorting: 'asc' }))).toEqual([b, a]);
    expect(ids(await list(contract, { brand, order_by: 'date' }))).toEqual([c, b, a]);
  });

  rule(
    'LIST-18',
    {
      note: 'products without a task are last',
      needs: ['generation', 'tasks'],
      assumes: 'the place of products without a task',
    },
    async (contract) => {
      const brand = contract.unique('brand');
      const [a, b] = ids(await several(contract, 2, { brand, name: 'Kettle' }));
      await contract.generate(a ?? 0);
      expect(ids(await list(contract, { brand, order_by: 'task' }))).toEqual([a, b]);
      expect(ids(await list(contract, { brand, order_by: 'task', sorting: 'asc' }))).toEqual([a, b]);
    },
  );

  rule('LIST-19', async ({ api }) => {
    expectDetail(await api.as(null).get('/products/'), 401);
  });

  inOwnSandbox(rule, 'LIST-20', {}, async (own) => {
    for (let index = 0; index < 51; index++) await own.api.post('/products/', { sku: String(index) });
    const page = async (query: Record<string, string>) =>
      pageShape.parse((await own.api.get('/products/', query)).body);
    expect((await page({})).results).toHaveLength(50);
    expect((await page({ page: '2' })).results).toMatchObject([{ sku: '0' }]);
    expect((await page({ page: '2', page_size: '20' })).results[0]).toMatchObject({ sku: '30' });
    expect(await page({ page: '99' })).toMatchObject({ count: 51, next: null, results: [] });
  });

  rule('LIST-21', async ({ api }) => {
    const refused = {
      category: 'Shirts',
      tag: 'red',
      created_at_after: 'yesterday',
      created_at_before: '2026-02-30',
      images: 'maybe',
      tasks: 'all',
      sorting: 'up',
      order_by: 'name',
      page: '0',
      page_size: 'x',
      locale: '!',
    };
    for (const [name, value] of Object.entries(refused)) {
      const answer = await api.get('/products/', { [name]: value });
      expectFieldErrors(answer, name === 'tag' ? 'tag.0' : name);
    }
  });

  rule('LIST-22', async (contract) => {
    const brand = contract.unique('brand');
    await contract.create({ brand, name: 'Red kettle', category: 'Home' });
    const wanted = await contract.create({ brand, name: 'Red kettle' });
    await contract.create({ brand, name: 'Blue kettle' });
    expect(ids(await list(contract, { brand, search: 'Red', category: 'no_category' }))).toEqual([wanted.id]);
  });
}

async function list(
  { api }: Contract,
  query: Readonly<Record<string, string | readonly string[]>>,
): Promise<readonly Product[]> {
  const answer = await api.get('/products/', query);
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  const page = pageShape.parse(answer.body);
  expect(page.count).toBe(page.results.length);
  return page.results;
}

/** Waits until `count` products of the brand are generated. */
function untilGenerated(contract: Contract, brand: string, count: number): Promise<true> {
  return contract.eventually(`${count} generated products`, async () => {
    const page = pageShape.parse((await contract.api.get('/products/', { brand, tasks: 'success' })).body);
    return page.results.length >= count ? true : undefined;
  });
}

async function several(
  contract: Contract,
  count: number,
  body: Readonly<Record<string, unknown>>,
): Promise<Product[]> {
  const products: Product[] = [];
  while (products.length < count) products.push(await contract.create(body));
  return products;
}

function ids(products: readonly Product[]): number[] {
  return products.map((product) => product.id);
}
