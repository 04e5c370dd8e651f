import { describe, expect, it } from '@jest/globals';
import type { Page } from '../catalog/pages.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import { walkListing } from './listing-walk.js';

/** A listing of one product a page, which notes when a page is asked for and when its products are parsed. */
function listing(pages: number, count: number) {
  const events: string[] = [];
  const page = (number: number): Page<CatalogProduct> => ({
    get results() {
      if (!events.includes(`parsed ${String(number)}`)) events.push(`parsed ${String(number)}`);
      return [{ id: number }];
    },
    next: null,
    previous: null,
    count,
  });
  async function* productPages(): AsyncGenerator<Page<CatalogProduct>> {
    for (let number = 1; number <= pages; number += 1) {
      events.push(`asked for ${String(number)}`);
      yield await Promise.resolve(page(number));
    }
  }
  return { events, first: page(1), client: { productPages } };
}

describe('walkListing', () => {
  it('asks for the next page before it parses the products of a page, and for no further one', async () => {
    const { events, first, client } = listing(3, 3);
    await walkListing(client, first, ([product]) => {
      events.push(`took ${String(product?.id)}`);
    });
    expect(events).toEqual([
      ...['asked for 1', 'asked for 2', 'parsed 1', 'took 1'],
      ...['asked for 3', 'parsed 2', 'took 2', 'parsed 3', 'took 3'],
    ]);
  });

  it.each([
    { shown: 3, counted: 3, complete: true },
    { shown: 2, counted: 3, complete: false },
  ])(
    'is complete: $complete when it showed $shown of $counted products',
    async ({ shown, counted, complete }) => {
      const { first, client } = listing(shown, counted);
      expect(await walkListing(client, first, () => undefined)).toBe(complete);
    },
  );

  it('stops at the page whose products cannot be taken', async () => {
    const { events, first, client } = listing(3, 3);
    const walk = walkListing(client, first, () => {
      throw new Error('the database is away');
    });
    await expect(walk).rejects.toThrow('the database is away');
    expect(events).not.toContain('asked for 3');
  });
});
