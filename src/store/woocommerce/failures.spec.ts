import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  clientOf,
  closeShops,
  connect,
  idIn,
  shopWith,
  sources,
  write,
  written,
} from '../../../test/support/sandbox/connected-shop.js';
import type { TestShop } from '../../../test/support/sandbox/test-shop.js';
import { CodedError } from '../../domain/errors.js';
import type { SourceProduct } from '../../domain/store-port.js';

afterEach(closeShops);

describe('a product at which the shop fails', () => {
  const failure = {
    status: 500,
    body: { code: 'internal_server_error', message: 'There has been a critical error.', data: null },
  };
  /** Fails each answer that would show all of the product. */
  const failAt = (shop: TestShop, odd: number): void => {
    shop.alter((reply, { parameters }) => {
      const shown = (Array.isArray(reply.body) ? reply.body : [reply.body]) as object[];
      const isShown = shown.some((entry) => 'id' in entry && entry.id === odd);
      return isShown && parameters.get('_fields') !== 'id' ? failure : reply;
    });
  };
  const titles = (found: readonly SourceProduct[]): string[] =>
    found.map((source) => {
      try {
        return source.snapshot().title;
      } catch (error) {
        return `${source.storeId}: ${(error as Error).message}`;
      }
    });

  it('is put off by itself', async () => {
    const shop = await shopWith(7);
    const ids = shop.products.list().map(({ id }) => id);
    const odd = ids[4]!;
    failAt(shop, odd);
    const connector = connect(shop, { attempts: 1 });
    const expected = ['P1', 'P2', 'P3', 'P4', expect.stringContaining(`${String(odd)}: the shop failed`)];
    expect(titles(await sources(connector))).toEqual([...expected, 'P6', 'P7']);
    const named = await connector.readProducts(ids.map(String));
    expect(titles(named.filter((product) => product !== null))).toEqual([...expected, 'P6', 'P7']);
  });

  it('is put off by itself when it fails at one of its variations', async () => {
    const shop = await shopWith(1);
    const variations = ['Shirt', 'Skirt'].map((name) => {
      const parent = shop.products.create({ type: 'variable', row: { name } });
      return shop.products.create({ type: 'variation', parentId: parent.id, row: { name: 'S' } }).id;
    });
    failAt(shop, variations[1]!);
    const found = titles(await sources(connect(shop, { attempts: 1 })));
    expect(found).toEqual(['P1', 'Shirt', expect.stringContaining('the shop failed')]);
  });

  it('ends the read where the shop answers nothing else', async () => {
    const shop = await shopWith(2);
    shop.alter((reply, { path }) => (path === 'wc/v3/products' ? failure : reply));
    const connector = connect(shop, { attempts: 1, awayMostMs: 0 });
    await expect(sources(connector)).rejects.toMatchObject({ code: 'transient' });
  });
});

it.each([401, 400, 500])('an answer of %d that repeats the key is told without it', async (status) => {
  const shop = await shopWith(1);
  const { consumerKey, consumerSecret } = shop;
  const basic = Buffer.from(`${consumerKey}:${consumerSecret}`).toString('base64');
  const message = `Basic ${basic}, ${consumerKey}, ${consumerSecret}`;
  const body = { code: 'odd', message, data: { params: { key: consumerSecret } } };
  shop.alter((reply, { path }) => (path === 'wc/v3/products' ? { status, body } : reply));
  const error: unknown = await connect(shop, { attempts: 1, awayMostMs: 0 })
    .count()
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CodedError);
  for (const secret of [basic, consumerKey, consumerSecret])
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(secret);
});

describe('a shop that answers nothing for a while', () => {
  const away = { status: 502, body: '<html>Bad Gateway</html>' };

  it.each([
    ['a page of products', 'wc/v3/products'],
    ['their variations', 'wc/v3/variations'],
    ['the last pass over their ids', 'wc/v3/products?ids'],
  ])('is waited for in the read of all products: %s', async (_what, place) => {
    const shop = await shopWith(2);
    const parent = shop.products.create({ type: 'variable', row: { name: 'Shirt' } });
    shop.products.create({ type: 'variation', parentId: parent.id, row: { name: 'S' } });
    let left = 4;
    let isAway = false;
    shop.answerWith(({ path, parameters }) => {
      isAway ||= place === path || (place.endsWith('?ids') && parameters.get('_fields') === 'id');
      if (!isAway || left === 0) return null;
      left -= 1;
      return away;
    });
    const found = await sources(connect(shop, { attempts: 1 }));
    expect(found.map((source) => source.snapshot().title)).toEqual(['P1', 'P2', 'Shirt']);
    expect(left).toBe(0);
  });
});

describe('a shop that asks for ten minutes, as WordPress does while a plugin is updated,', () => {
  const busy = (status: number) => () => ({
    ...{ status, body: '<html>Briefly unavailable for scheduled maintenance.</html>' },
    headers: { 'retry-after': '600' },
  });

  it.each([503, 429])('is not waited for within a call (%d)', async (status) => {
    const shop = await shopWith(1);
    shop.answerWith(busy(status));
    await expect(connect(shop).count()).rejects.toMatchObject({ status, retryAfterMs: 600_000 });
  });

  it('ends the read of all products, which is tried again after that time', async () => {
    const shop = await shopWith(1);
    shop.answerWith(({ path }) => (path === 'wc/v3/products' ? busy(503)() : null));
    await expect(sources(connect(shop))).rejects.toMatchObject({ retryAfterMs: 600_000 });
  });
});

it('a write is known to have changed nothing where the shop took no connection', async () => {
  const shop = await shopWith(1);
  const client = clientOf(shop);
  const id = idIn(shop);
  await client.run({ path: 'wc/v3/products' }, z.unknown());
  await shop.stop();
  const call = { method: 'PUT', path: `wc/v3/products/${String(id)}`, body: { name: 'New' } } as const;
  // The first one may still go out on the connection that is open.
  await client.run(call, z.unknown()).catch(() => undefined);
  await expect(client.run(call, z.unknown())).rejects.toMatchObject({
    code: 'transient',
    outcomeUnknown: false,
  });
});

describe('a product that a plugin keeps from the key', () => {
  const refusal = {
    status: 403,
    body: { code: 'woocommerce_rest_cannot_view', message: 'Not yours.', data: { status: 403 } },
  };

  it.each(['GET', 'PUT'])('is refused alone, by %s, and the shop is not', async (method) => {
    const shop = await shopWith(2);
    const [kept, open] = shop.products.list().map(({ id }) => id) as [number, number];
    shop.answerWith((call) =>
      call.method === method && call.path === `wc/v3/products/${String(kept)}` ? refusal : null,
    );
    const connector = connect(shop);
    const title = (id: number, before: string) => written(connector, id, write('title', 'New', before));
    if (method === 'GET') await expect(title(kept, 'P1')).rejects.toMatchObject({ code: 'invalid' });
    else expect(await title(kept, 'P1')).toMatchObject([{ outcome: 'refused' }]);
    expect(await title(open, 'P2')).toMatchObject([{ outcome: 'written' }]);
  });

  it('is put off alone when no list shows it', async () => {
    const shop = await shopWith(2);
    const [kept, open] = shop.products.list().map(({ id }) => id) as [number, number];
    shop.products.edit(kept, { status: 'archived' });
    shop.answerWith(({ path }) => (path === `wc/v3/products/${String(kept)}` ? refusal : null));
    const [hidden, shown] = await connect(shop).readProducts([kept, open].map(String));
    expect(() => hidden?.snapshot()).toThrow('Not yours.');
    expect(shown?.snapshot().title).toBe('P2');
  });

  it('pauses the shop where the key may write no product', async () => {
    const shop = await shopWith(1);
    shop.answerWith(({ method }) => (method === 'PUT' ? refusal : null));
    await expect(written(connect(shop), idIn(shop), write('title', 'New', 'P1'))).rejects.toMatchObject({
      code: 'auth',
    });
  });
});

it('a write that the shop refuses does not take the others with it when one of them stands there already', async () => {
  const shop = await shopWith(1);
  const id = idIn(shop);
  const body = { code: 'rest_invalid_param', message: 'Invalid.', data: { status: 400 } };
  shop.answerWith(({ method, body: sent }) =>
    method === 'PUT' && 'meta_data' in sent ? { status: 400, body } : null,
  );
  const outcomes = await written(
    connect(shop),
    id,
    write('title', 'P1', 'P1'),
    write('descriptionHtml', '<p>New</p>', 'Text 1'),
    write('metafield:catalog.care', 'Wash', null),
  );
  expect(Object.fromEntries(outcomes.map(({ target, outcome }) => [target, outcome]))).toEqual({
    title: 'written',
    descriptionHtml: 'written',
    'metafield:catalog.care': 'refused',
  });
});
