import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Page } from '../catalog/pages.js';
import type { ProductFilters } from '../catalog/product-filters.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import { walkListing } from './listing-walk.js';

interface Behaviour {
  readonly pageSize?: number;
  /** The count in answers, in place of the number of products. */
  readonly count?: (products: number) => number | null;
  readonly ignoresSorting?: boolean;
  /** Called before each answer but the first page's; may change the products. */
  readonly onRequest?: (products: number[], request: string) => void;
}

/** The listing of a service, with pages by number. `events` has each request, as `asc 2`, and each parsed page. */
class Listing {
  readonly events: string[] = [];
  readonly first: Page<CatalogProduct>;
  readonly #pageSize: number;

  constructor(
    readonly products: number[],
    private readonly behaviour: Behaviour = {},
  ) {
    this.#pageSize = behaviour.pageSize ?? 1;
    this.first = this.#page('asc', 1);
  }

  get requests(): string[] {
    return this.events.filter((event) => /^(asc|desc) /.test(event));
  }

  readonly productPages = async function* (
    this: Listing,
    { sorting = 'desc' }: ProductFilters,
    first?: Page<CatalogProduct>,
  ): AsyncGenerator<Page<CatalogProduct>> {
    for (let number = 1; ; number += 1) {
      const isThere = number === 1 && first !== undefined;
      const page = isThere ? first : await this.#request(sorting, number);
      yield page;
      if (page.next === null) return;
    }
  }.bind(this);

  /** Walks it, and returns the ids that were shown. */
  async walk(): Promise<{ shown: Set<number>; complete: boolean }> {
    const shown = new Set<number>();
    const complete = await walkListing(this, this.first, (products) => {
      for (const { id } of products) shown.add(id);
    });
    return { shown, complete };
  }

  async #request(sorting: 'asc' | 'desc', number: number): Promise<Page<CatalogProduct>> {
    const request = `${sorting} ${String(number)}`;
    this.events.push(request);
    await Promise.resolve();
    this.behaviour.onRequest?.(this.products, request);
    return this.#page(sorting, number);
  }

  #page(sorting: 'asc' | 'desc', number: number): Page<CatalogProduct> {
    const { count = (products) => products, ignoresSorting = false } = this.behaviour;
    const ordered = sorting === 'asc' || ignoresSorting ? this.products : this.products.toReversed();
    const to = number * this.#pageSize;
    const results = ordered.slice(to - this.#pageSize, to).map((id) => ({ id }));
    const { events } = this;
    return {
      get results() {
        const parsed = `parsed ${results.map(({ id }) => id).join(',')}`;
        if (!events.includes(parsed)) events.push(parsed);
        return results;
      },
      next: to < ordered.length ? `?page=${String(number + 1)}` : null,
      previous: null,
      count: count(ordered.length),
    };
  }
}

function ids(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('walkListing', () => {
  it('reads the listing from both ends until they meet', async () => {
    const listing = new Listing(ids(95), { pageSize: 10 });
    const { shown, complete } = await listing.walk();
    expect(complete).toBe(true);
    expect(shown.size).toBe(95);
    expect(listing.requests.toSorted()).toEqual([
      ...['asc 2', 'asc 3', 'asc 4', 'asc 5', 'asc 6'],
      ...['desc 1', 'desc 2', 'desc 3', 'desc 4'],
    ]);
  });

  it('requests one more page where the ends meet between two pages', async () => {
    const listing = new Listing(ids(40), { pageSize: 10 });
    expect(await listing.walk()).toMatchObject({ complete: true });
    expect(listing.requests).toHaveLength(4);
  });

  it.each([
    { products: 0, requests: [] },
    { products: 10, requests: [] },
    { products: 20, requests: ['asc 2'] },
  ])('requests no page from the newest product of $products products', async ({ products, requests }) => {
    const listing = new Listing(ids(products), { pageSize: 10 });
    const { shown, complete } = await listing.walk();
    expect(complete).toBe(true);
    expect(shown.size).toBe(products);
    expect(listing.requests).toEqual(requests);
  });

  it('requests the next pages before it parses the products of a page', async () => {
    const listing = new Listing(ids(6));
    await walkListing(listing, listing.first, ([product]) => {
      listing.events.push(`took ${String(product?.id)}`);
    });
    expect(listing.events).toEqual([
      ...['asc 2', 'parsed 1', 'desc 1', 'took 1'],
      ...['asc 3', 'parsed 2', 'took 2', 'desc 2', 'parsed 6', 'took 6'],
      ...['asc 4', 'parsed 3', 'took 3', 'parsed 5', 'took 5', 'parsed 4', 'took 4'],
      ...['desc 3', 'took 4'],
    ]);
  });

  it('reads a listing without a count from the oldest product to its end, and calls it incomplete', async () => {
    const listing = new Listing(ids(50), { pageSize: 10, count: () => null });
    const { shown, complete } = await listing.walk();
    expect(complete).toBe(false);
    expect(shown.size).toBe(50);
    expect(listing.requests).toEqual(['asc 2', 'asc 3', 'asc 4', 'asc 5']);
  });

  it('calls a listing incomplete whose later pages have no count', async () => {
    let answers = 0;
    const count = (products: number) => ((answers += 1) === 1 ? products : null);
    const { shown, complete } = await new Listing(ids(50), { pageSize: 10, count }).walk();
    expect(complete).toBe(false);
    expect(shown.size).toBe(50);
  });

  it('reads all of a listing whose service counts no further than to a limit', async () => {
    const listing = new Listing(ids(95), { pageSize: 10, count: (products) => Math.min(products, 30) });
    const { shown, complete } = await listing.walk();
    expect(complete).toBe(true);
    expect(shown.size).toBe(95);
  });

  it('reads a listing to its end that counts more products than it shows, and calls it incomplete', async () => {
    const listing = new Listing(ids(95), { pageSize: 10, count: (products) => products + 1 });
    const { shown, complete } = await listing.walk();
    expect(complete).toBe(false);
    expect(shown.size).toBe(95);
    expect(listing.requests).toContain('asc 10');
  });

  it('reads the listing of a service with an order of its own from one end', async () => {
    const listing = new Listing(ids(95), { pageSize: 10, ignoresSorting: true });
    const { shown, complete } = await listing.walk();
    expect(complete).toBe(true);
    expect(shown.size).toBe(95);
    expect(listing.requests.filter((request) => request.startsWith('desc'))).toEqual(['desc 1', 'desc 2']);
  });

  it('looks for products that are created while it reads among the newest ones', async () => {
    const onRequest = (products: number[], request: string) => {
      if (request === 'asc 4') products.push(96, 97);
    };
    const listing = new Listing(ids(95), { pageSize: 10, onRequest });
    const { shown, complete } = await listing.walk();
    expect(complete).toBe(true);
    expect(shown.size).toBe(97);
    expect(listing.requests.filter((request) => request === 'desc 1')).toHaveLength(2);
    expect(listing.requests).not.toContain('asc 7');
  });

  it.each(['asc 4', 'desc 3'])(
    'calls the listing incomplete when a product is deleted before %s',
    async (deletion) => {
      const onRequest = (products: number[], request: string) => {
        if (request === deletion) products.splice(products.indexOf(5), 1);
      };
      const { complete } = await new Listing(ids(95), { pageSize: 10, onRequest }).walk();
      expect(complete).toBe(false);
    },
  );

  it.each(['asc 3', 'desc 2'])(
    'throws the error of the request %s, and sends no further one',
    async (failing) => {
      let isOver = false;
      const after: string[] = [];
      const onRequest = (_products: number[], request: string) => {
        if (isOver) after.push(request);
        if (request === failing) throw new Error('the catalog is away');
      };
      const walk = new Listing(ids(95), { pageSize: 10, onRequest }).walk();
      await expect(walk).rejects.toThrow('the catalog is away');
      isOver = true;
      await new Promise(setImmediate);
      expect(after).toEqual([]);
    },
  );

  it('stops at the page whose products cannot be taken', async () => {
    const listing = new Listing(ids(95), { pageSize: 10 });
    const walk = walkListing(listing, listing.first, () => {
      throw new Error('the database is away');
    });
    await expect(walk).rejects.toThrow('the database is away');
    expect(listing.requests).toEqual(['asc 2', 'desc 1']);
  });

  it('shows every product of a listing to which products are added, and is complete', async () => {
    const sizes = { products: fc.nat(60), pageSize: fc.integer({ min: 1, max: 9 }) };
    const created = fc.array(fc.nat(3), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.record(sizes), created, async ({ products, pageSize }, news) => {
        const pending = [...news];
        let last = products;
        const onRequest = (present: number[]) => {
          for (let left = pending.shift() ?? 0; left > 0; left -= 1) present.push((last += 1));
        };
        const listing = new Listing(ids(products), { pageSize, onRequest });
        const { shown, complete } = await listing.walk();
        // Only what was created by the last requests, whose answers were no longer needed, may be missing.
        const atStart = ids(products).filter((id) => !shown.has(id));
        expect(atStart).toEqual([]);
        expect(complete).toBe(true);
      }),
    );
  });
});
