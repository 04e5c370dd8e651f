import { describe, expect, it } from '@jest/globals';
import type { Page } from '../catalog/pages.js';
import type { ProductFilters } from '../catalog/product-filters.js';
import type { CatalogProduct } from '../catalog/schemas.js';
import { walkListing } from './listing-walk.js';

interface Behaviour {
  readonly pageSize?: number;
  /** The count in answers, in place of the number of products. */
  readonly count?: (products: number) => number | null;
  /** Called before each answer but the first page's; may change the products. */
  readonly onRequest?: (products: number[], request: string) => void;
}

/** The listing of a service, with pages by number. `requests` has each of them, as `asc 2`. */
class Listing {
  readonly requests: string[] = [];
  readonly first: Page<CatalogProduct>;
  readonly #pageSize: number;

  constructor(
    readonly products: number[],
    private readonly behaviour: Behaviour = {},
  ) {
    this.#pageSize = behaviour.pageSize ?? 1;
    this.first = this.#page('asc', 1);
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
    this.requests.push(request);
    await Promise.resolve();
    this.behaviour.onRequest?.(this.products, request);
    return this.#page(sorting, number);
  }

  #page(sorting: 'asc' | 'desc', number: number): Page<CatalogProduct> {
    const { count = (products) => products } = this.behaviour;
    const ordered = sorting === 'asc' ? this.products : this.products.toReversed();
    const to = number * this.#pageSize;
    const results = ordered.slice(to - this.#pageSize, to).map((id) => ({ id }));
    return {
      results,
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
  it('reads the listing from the oldest product to the newest, by next alone', async () => {
    const listing = new Listing(ids(95), { pageSize: 10 });
    const { shown, complete } = await listing.walk();
    expect(complete).toBe(true);
    expect(shown.size).toBe(95);
    expect(listing.requests).toEqual(Array.from({ length: 9 }, (_, page) => `asc ${String(page + 2)}`));
  });

  it.each([
    ['without a count', () => null],
    ['that shows fewer products than it counts', (products: number) => products + 1],
  ])('treats a listing %s as incomplete', async (_what, count) => {
    expect(await new Listing(ids(50), { pageSize: 10, count }).walk()).toMatchObject({ complete: false });
  });

  it('treats a listing as incomplete from which a product was deleted meanwhile', async () => {
    const onRequest = (products: number[], request: string): void => {
      if (request === 'asc 3') products.shift();
    };
    expect(await new Listing(ids(95), { pageSize: 10, onRequest }).walk()).toMatchObject({ complete: false });
  });

  it('shows products that are created meanwhile', async () => {
    const onRequest = (products: number[], request: string): void => {
      if (request === 'asc 3') products.push(96, 97);
    };
    const { shown, complete } = await new Listing(ids(95), { pageSize: 10, onRequest }).walk();
    expect([shown.size, complete]).toEqual([97, true]);
  });
});
