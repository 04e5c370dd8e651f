import type { StoreCategory } from '../../domain/store-port.js';
import type { ShopifyClient } from './client.js';
import { requireCursor, standingCursor } from './details.js';
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

interface Remembered {
  readonly atMs: number;
  readonly categories: Promise<readonly StoreCategory[]>;
}

/** The store's taxonomy of product categories. */
export class Taxonomy {
  private readonly remembered = new Map<string, Remembered>();

  constructor(
    private readonly client: ShopifyClient,
    private readonly now: () => number,
  ) {}

  /**
   * The categories that a text names: the one with that id or full name, otherwise all whose full name ends with it.
   * Letter case and the spaces beside `>` are ignored. Archived categories are left out.
   */
  find(text: string): Promise<readonly StoreCategory[]> {
    const wanted = text.trim();
    const known = this.remembered.get(wanted);
    if (known !== undefined && this.now() - known.atMs < REMEMBERED_MS) return known.categories;
    const categories = this.ask(wanted).catch((error: unknown) => {
      this.remembered.delete(wanted);
      throw error;
    });
    if (this.remembered.size >= MOST_REMEMBERED) this.remembered.clear();
    this.remembered.set(wanted, { atMs: this.now(), categories });
    return categories;
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
    let after: string | null = null;
    for (let page = 0; page < MOST_PAGES; page++) {
      const { data } = await this.client.run(CATEGORIES, { search: leaf, after }, categoriesData);
      const { nodes, pageInfo } = data.taxonomy?.categories ?? NOTHING;
      found.push(
        ...nodes.filter(({ isArchived }) => !isArchived).map(({ id, fullName }) => ({ id, fullName })),
      );
      if (!pageInfo.hasNextPage) break;
      const next = requireCursor(pageInfo);
      if (next === after) throw standingCursor();
      after = next;
    }
    return found;
  }
}

const NOTHING = { nodes: [], pageInfo: { hasNextPage: false } };

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
