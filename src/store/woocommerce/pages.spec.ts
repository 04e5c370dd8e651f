import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { closeShops, connect, shopWith, whole } from '../../../test/support/sandbox/connected-shop.js';
import type { WooClient } from './client.js';
import { walk } from './pages.js';

afterEach(closeShops);

const row = z.object({ id: z.number() });
const entries = (count: number): object[] => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));

/** All ids of a shop, which answers with this page for an offset. */
async function ids(pageAt: (offset: number) => readonly object[], total: number | null): Promise<number[]> {
  const client: Pick<WooClient, 'run'> = {
    run: ({ query }, schema) =>
      Promise.resolve({ data: schema.parse(pageAt(Number(query?.['offset']))), total, at: null }),
  };
  const found: number[] = [];
  for await (const { rows } of walk(client, { path: 'wc/v3/products' }, row))
    found.push(...rows.map(({ id }) => id));
  return found;
}

describe('a list of the shop', () => {
  it.each<[string, readonly object[], number | null]>([
    ['shows the same page for every address and names no total', entries(100), null],
    ['counts entries without end and shows none', [], 1e12],
  ])('is refused when it %s', async (_what, page, total) => {
    await expect(ids(() => page, total)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('does not end'),
    });
  });

  it.each([3, 100, 250])('is read to its end with and without a total: %d entries', async (count) => {
    const all = entries(count);
    const pageAt = (offset: number): readonly object[] => all.slice(offset, offset + 100);
    const expected = all.map((_, index) => index + 1);
    expect(await ids(pageAt, count)).toEqual(expected);
    expect(await ids(pageAt, null)).toEqual(expected);
  });
});

describe('a list of products', () => {
  it('that does not say how many there are proves nothing, and says so', async () => {
    const shop = await shopWith(2);
    shop.alter(({ status, body }) => ({ status, body }));
    expect((await whole(connect(shop))).end).toEqual({
      complete: false,
      why: 'the shop does not say how many products it has',
    });
  });

  it('that a plugin sorts in another order is refused, because products would be missed', async () => {
    const shop = await shopWith(3);
    shop.alter((reply) =>
      Array.isArray(reply.body) ? { ...reply, body: reply.body.toReversed() as object[] } : reply,
    );
    await expect(whole(connect(shop))).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('another order'),
    });
  });
});
