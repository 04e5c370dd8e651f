import { isCoded } from '../../domain/errors.js';
import type { StoreCategory } from '../../domain/store-port.js';
import { Remembered } from '../../runtime/remembered.js';
import type { ShopifyClient } from './client.js';
import { pagesOf } from './pages.js';
import { CATEGORIES, CATEGORY } from './part-documents.js';
import { categoriesData, categoryData } from './schemas.js';

/** The taxonomy changes with an API version, so categories are remembered for a day. */
const REMEMBERED_MS = 86_400_000;
const MOST_REMEMBERED = 5_000;
/** Pages of a search at most. The best matches come first. */
const MOST_PAGES = 4;
const GID = 'gid://shopify/TaxonomyCategory/';
/** A category's own id, such as `aa-1-13-8`. */
const OWN_ID = /^[a-z]{2}(-\d+)+$/;

/** The store's taxonomy of product categories. */
export class Taxonomy {
  private readonly remembered: Remembered<readonly StoreCategory[]>;

  constructor(
    private readonly client: ShopifyClient,
    now: () => number,
  ) {
    this.remembered = new Remembered(REMEMBERED_MS, now, MOST_REMEMBERED);
  }

  /**
   * The categories that a text names: the one with that id or full name, otherwise all whose full name ends with it.
   * Letter case and the spaces beside `>` are ignored. Archived categories are left out. A text that the store refuses to look for names
   * none.
   */
  find(text: string): Promise<readonly StoreCategory[]> {
    const wanted = text.trim();
    return this.remembered.get(wanted, () =>
      this.ask(wanted).catch((error: unknown) => {
        if (isCoded(error, 'invalid', 'not_found')) return [];
        throw error;
      }),
    );
  }

  private async ask(text: string): Promise<readonly StoreCategory[]> {
    const path = namesIn(text);
    const leaf = path.at(-1);
    if (leaf === undefined) return [];
    const id = text.startsWith(GID) ? text : OWN_ID.test(text) ? `${GID}${text}` : null;
    if (id !== null) return this.byId(id);
    const found = await this.search(leaf);
    const ends = found.filter(({ fullName }) => endsWith(namesIn(fullName), path));
    const whole = ends.filter(({ fullName }) => namesIn(fullName).length === path.length);
    return whole.length === 0 ? ends : whole;
  }

  private async byId(id: string): Promise<readonly StoreCategory[]> {
    const { data } = await this.client.run(CATEGORY, { id }, categoryData);
    if (data.node === null || data.node.isArchived) return [];
    const { fullName } = data.node;
    return [{ id, fullName }];
  }

  private async search(leaf: string): Promise<readonly StoreCategory[]> {
    const found: StoreCategory[] = [];
    let read = 0;
    for await (const page of pagesOf(
      (after) => this.page(leaf, after),
      (each) => each,
    )) {
      for (const { id, fullName, isArchived } of page?.nodes ?? [])
        if (!isArchived) found.push({ id, fullName });
      read += 1;
      if (read === MOST_PAGES) break;
    }
    return found;
  }

  private async page(search: string, after: string | null) {
    const { data } = await this.client.run(CATEGORIES, { search, after }, categoriesData);
    return data.taxonomy?.categories;
  }
}

function namesIn(path: string): string[] {
  return path
    .split('>')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

function endsWith(names: readonly string[], end: readonly string[]): boolean {
  const start = names.length - end.length;
  return start >= 0 && end.every((name, place) => names[start + place] === name);
}
