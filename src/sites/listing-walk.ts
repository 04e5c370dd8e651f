import { setImmediate } from 'node:timers/promises';
import type { CatalogClient } from '../catalog/client.js';
import type { Page } from '../catalog/pages.js';
import type { CatalogProduct } from '../catalog/schemas.js';

/** Oldest first: new products are added at the end and do not shift pages. */
export const OLDEST_FIRST = { sorting: 'asc', orderBy: 'date' } as const;
/** Products that are new since an earlier walk come first. */
export const NEWEST_FIRST = { sorting: 'desc', orderBy: 'date' } as const;

type ProductPage = Page<CatalogProduct>;
type PagesClient = Pick<CatalogClient, 'productPages'>;

/**
 * Calls `onPage` with the products of every listed page, one page at a time. Requests for the next pages are under way meanwhile. The
 * listing is read from both ends at once, see `ListingWalk`; a product may be shown twice.
 *
 * True when the listing was complete: it showed as many products as the service counts. A product that is deleted meanwhile may shift
 * another one out of sight: then later pages count fewer than the first. Throws what a page's request throws.
 */
export async function walkListing(
  client: PagesClient,
  first: ProductPage,
  onPage: (products: readonly CatalogProduct[]) => void | Promise<void>,
): Promise<boolean> {
  const walk = new ListingWalk(client, first);
  for await (const products of walk.pages()) await onPage(products);
  return walk.isComplete;
}

/**
 * The address of a page comes with the page before it, so one walk waits for each answer in turn. Two walks, from the oldest and from the
 * newest product, take half the time. They end when they have met and together have shown as many products as the service counts.
 * Otherwise the walk from the oldest product goes on to the end of the listing, because a service may count or sort in another way.
 */
class ListingWalk {
  readonly #oldest: WalkFromOneEnd;
  readonly #newest: WalkFromOneEnd;
  /** Products that were shown, each once. */
  #shown = 0;
  /** True when one walk came to a product that the other one had shown. */
  #haveMet = false;
  /** Products of the first page, once it is parsed. */
  #pageSize = 0;
  /** The walk that had a page last. */
  #last: WalkFromOneEnd | null = null;
  #fewestCounted: number;
  #mostCounted: number;

  constructor(
    client: PagesClient,
    private readonly first: ProductPage,
  ) {
    this.#oldest = new WalkFromOneEnd(() => client.productPages(OLDEST_FIRST, first));
    this.#newest = new WalkFromOneEnd(() => client.productPages(NEWEST_FIRST));
    // Without a count only the end of the listing shows that all of it was read.
    this.#newest.isOver = first.count === null;
    this.#fewestCounted = this.#mostCounted = first.count ?? Number.POSITIVE_INFINITY;
  }

  get isComplete(): boolean {
    const { count } = this.first;
    return count !== null && this.#fewestCounted >= count && this.#shown >= this.#mostCounted;
  }

  /** The products of each page, in the order of arrival. */
  async *pages(): AsyncGenerator<readonly CatalogProduct[]> {
    try {
      this.#oldest.request();
      while (!this.#isRead) {
        const { walk, page } = await this.#nextPage();
        walk.receive(page);
        if (page === null) continue;
        this.#fewestCounted = Math.min(this.#fewestCounted, page.count ?? Number.NEGATIVE_INFINITY);
        this.#mostCounted = Math.max(this.#mostCounted, page.count ?? 0);
        // The requests are sent first: parsing the products of this page blocks the event loop.
        this.#requestAhead({ unparsed: 1 });
        await setImmediate();
        this.#take(walk, page.results);
        this.#requestAhead({ unparsed: 0 });
        yield page.results;
      }
    } finally {
      await Promise.all([this.#oldest.close(), this.#newest.close()]);
    }
  }

  get #isRead(): boolean {
    return this.#oldest.isOver || (this.#haveMet && this.#shown >= this.#mostCounted);
  }

  /** When both walks have a page, the walk that did not have the last one is next. */
  async #nextPage(): Promise<RequestedPage> {
    const [oldest, newest] = [this.#oldest, this.#newest];
    if (oldest.requested === null && newest.requested === null) (newest.isOver ? oldest : newest).request();
    const inTurn = this.#last === oldest ? [newest, oldest] : [oldest, newest];
    const next = await Promise.race(inTurn.flatMap(({ requested }) => requested ?? []));
    this.#last = next.walk;
    return next;
  }

  /** Requests pages until those that are requested or `unparsed` are expected to bring the rest of the listing. */
  #requestAhead({ unparsed }: { readonly unparsed: number }): void {
    // Products that are missing once they have met were created meanwhile, as a rule.
    const walks = this.#haveMet ? [this.#newest, this.#oldest] : [this.#oldest, this.#newest];
    for (const walk of walks) {
      const underWay = unparsed + walks.filter(({ requested }) => requested !== null).length;
      const isCovered = this.#shown + underWay * this.#pageSize >= this.#mostCounted;
      // Until the size of pages is known, the walk from the oldest product may bring all of them.
      const mayBegin = walk === this.#oldest || this.#pageSize > 0;
      if (mayBegin && !isCovered && !this.#oldest.isOver) walk.request();
    }
  }

  #take(walk: WalkFromOneEnd, products: readonly CatalogProduct[]): void {
    const other = walk === this.#oldest ? this.#newest : this.#oldest;
    const before = this.#shown;
    for (const { id } of products) {
      if (other.shown.has(id)) this.#haveMet = true;
      else if (!walk.shown.has(id)) this.#shown += 1;
      walk.shown.add(id);
    }
    if (this.#pageSize === 0) this.#pageSize = products.length;
    if (walk === this.#newest) walk.follow(this.#shown > before);
  }
}

interface RequestedPage {
  readonly walk: WalkFromOneEnd;
  /** Null at the end of the listing. */
  readonly page: ProductPage | null;
}

class WalkFromOneEnd {
  /** The ids of the products that it has shown. */
  readonly shown = new Set<number>();
  /** The page that is under way, or has come and waits for `receive`. */
  requested: Promise<RequestedPage> | null = null;
  isOver = false;
  #pages: AsyncGenerator<ProductPage> | null = null;
  #foundNew = false;

  constructor(private readonly begin: () => AsyncGenerator<ProductPage>) {}

  /** Requests the next page, if there is one and none is under way. Its error is thrown where `requested` is awaited. */
  request(): void {
    if (this.requested !== null || this.isOver) return;
    this.#pages ??= this.begin();
    const requested = this.#pages
      .next()
      .then(({ done, value }) => ({ walk: this, page: done === true ? null : value }));
    // Without this line Node would report a rejection that comes before the next `await`.
    requested.catch(() => undefined);
    this.requested = requested;
  }

  /** The caller has the page, which is null at the end of the listing. */
  receive(page: ProductPage | null): void {
    this.requested = null;
    if (page?.next == null) this.isOver = true;
  }

  /**
   * Where a page showed nothing new, this walk is where the other one has been. It begins again, because products may have been created
   * meanwhile; when that shows nothing new either, it is over.
   */
  follow(foundNew: boolean): void {
    if (foundNew) {
      this.#foundNew = true;
      return;
    }
    if (!this.#foundNew) this.isOver = true;
    this.#foundNew = false;
    this.#pages = null;
  }

  /** Returns once no request is under way. Its page is no longer needed. */
  async close(): Promise<void> {
    await this.requested?.catch(() => undefined);
    await this.#pages?.return(undefined);
  }
}
